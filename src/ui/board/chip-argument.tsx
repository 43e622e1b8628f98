/** What an action was given; the mark before an order's number gives way where turns are many and chips are small. */
export const ChipArgument = ({ text }: { readonly text: string }) => (
  <span className="chip-argument">
    {text.startsWith("#") && <span className="chip-mark">#</span>}
    {text.replace(/^#/, "")}
  </span>
);
