/** What a token is; an edit may only put one of the same kind in its place, so that the program stays one. */
export type Kind = "operator" | "compound" | "update" | "number" | "text" | "truth" | "name" | "property" | "fixed";

const PATTERN = /\s*(?:([A-Za-z_]\w*)|(\d+)|("[^"]*")|(===|!==|<=|>=|&&|\|\||\+=|-=|\*=|\+\+|--|=>|[-+*/%<>=!?:;,.(){}[\]]))/y;

const KEYWORDS: readonly string[] = ["function", "let", "const", "for", "of", "if", "else", "while", "return"];
const OPERATORS: readonly string[] = ["+", "-", "*", "/", "%", "<", ">", "<=", ">=", "===", "!==", "&&", "||"];
const COMPOUND: readonly string[] = ["+=", "-=", "*="];

/** @throws RangeError for what is not of the language. */
export function tokenise(source: string): readonly string[] {
  const tokens: string[] = [];
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < source.trimEnd().length) {
    const at = PATTERN.lastIndex;
    const found = PATTERN.exec(source);
    if (found === null) throw new RangeError(`there is no token at ${JSON.stringify(source.slice(at, at + 12))}`);
    tokens.push(found[0].trim());
  }
  return tokens;
}

/** Whether a token ends a value, so that a minus after it subtracts. */
const endsValue = (token: string | undefined): boolean => token !== undefined && /^(?:[\w")\]}]+|".*")$/.test(token) && !KEYWORDS.includes(token);

/** [tokens] A minus that negates, a name before a colon and the name of the function are fixed. */
export function kindsOf(tokens: readonly string[]): readonly Kind[] {
  return tokens.map((token, index): Kind => {
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    if (token === "true" || token === "false") return "truth";
    if (KEYWORDS.includes(token) || index === 1) return "fixed";
    if (COMPOUND.includes(token)) return "compound";
    if (token === "++" || token === "--") return "update";
    if (OPERATORS.includes(token)) return token === "-" && !endsValue(before) ? "fixed" : "operator";
    if (/^\d/.test(token)) return "number";
    if (token.startsWith('"')) return "text";
    if (!/^[A-Za-z_]/.test(token)) return "fixed";
    if (before === ".") return "property";
    return after === ":" && (before === "{" || before === ",") ? "fixed" : "name";
  });
}

const NO_SPACE_BEFORE: readonly string[] = [";", ",", ")", "]", ".", "++", "--", ":"];
const NO_SPACE_AFTER: readonly string[] = ["(", "[", "."];

/** The tokens as source a person would write; tokenising it gives them back. */
export function printed(tokens: readonly string[]): string {
  const kinds = kindsOf(tokens);
  return tokens.reduce((text, token, index) => {
    const before = tokens[index - 1];
    if (before === undefined) return token;
    const called = (token === "(" || token === "[") && (/^[\w\])]+$/.test(before) && !KEYWORDS.includes(before));
    const negated = before === "!" || (before === "-" && kinds[index - 1] === "fixed");
    const tight = called || negated || NO_SPACE_BEFORE.includes(token) || NO_SPACE_AFTER.includes(before);
    return text + (tight ? "" : " ") + token;
  }, "");
}
