/** A run of letters and digits, or a number with its sign: a minus counts where nothing stands before it that it could join. */
const TOKEN = /(?<![\p{L}\p{N}.)])-\d+(?:\.\d+)?(?![\p{L}\p{N}])|\d+(?:\.\d+)?(?![\p{L}\p{N}])|[\p{L}\p{N}]+/gu;
/** 1,234,567 is one number. */
const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g;

const isNumber = (token: string): boolean => /^-?\d+(?:\.\d+)?$/.test(token);

const tokensOf = (text: string): readonly string[] =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("−", "-")
    .replaceAll(THOUSANDS, "")
    // "$-5" and "-$5" are the same amount.
    .replaceAll(/-\s?([$€£])\s?(?=\d)/g, "$1-")
    .match(TOKEN) ?? [];

/** Ids keep their leading zeros; amounts are equal by value (54.1 and 54.10). */
const isSame = (said: string, wanted: string): boolean =>
  said === wanted || (isNumber(said) && isNumber(wanted) && (said.includes(".") || wanted.includes(".")) && Number(said) === Number(wanted));

/**
 * Whether one of the messages says `output`: as whole tokens in a row, so that 100 does not say 10. Case, punctuation and
 * thousands separators do not matter. An output without any letter or digit must occur as it is.
 */
export function says(messages: readonly string[], output: string): boolean {
  const wanted = tokensOf(output);
  if (wanted.length === 0) return messages.some((message) => message.includes(output));
  return messages.some((message) => {
    const said = tokensOf(message);
    return said.some((_, start) => wanted.every((token, offset) => isSame(said[start + offset] ?? "", token)));
  });
}
