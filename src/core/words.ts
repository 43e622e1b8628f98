/** `population-std` as a person would write it. */
export const words = (id: string): string => {
  const text = id.replaceAll(/[-_]/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};
