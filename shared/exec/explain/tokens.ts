/** A lenient split of a command for readers: also of texts that the analysis refuses. Never used to decide. */

export interface Token {
  kind: "word" | "operator";
  start: number;
  end: number;
  /** Words without their quotes; operators as written. */
  text: string;
}

const operators = [
  "$(",
  "<(",
  ">(",
  "&&",
  "||",
  "|&",
  "&>",
  ">>",
  "<<",
  ";",
  "|",
  "&",
  ">",
  "<",
  "(",
  ")",
  "\n",
];

export function splitForReading(command: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < command.length) {
    const char = command[at] ?? "";
    if (char !== "\n" && /\s/.test(char)) {
      at += 1;
      continue;
    }
    const operator = operators.find((one) => command.startsWith(one, at));
    if (operator !== undefined) {
      tokens.push({ kind: "operator", start: at, end: at + operator.length, text: operator });
      at += operator.length;
      continue;
    }
    const word = readWord(command, at);
    tokens.push({ kind: "word", start: at, end: word.end, text: word.text });
    at = word.end;
  }
  return tokens;
}

/** Up to the next blank or operator outside quotes; an unclosed quote reaches to the end. */
function readWord(command: string, start: number): { end: number; text: string } {
  let text = "";
  let at = start;
  let quote = "";
  for (; at < command.length; at += 1) {
    const char = command[at] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
      else if (char === "\\" && quote === '"') {
        at += 1;
        text += command[at] ?? "";
      } else text += char;
      continue;
    }
    if (/\s/.test(char) || operators.some((one) => command.startsWith(one, at))) break;
    if (char === '"' || char === "'") quote = char;
    else if (char === "\\") {
      at += 1;
      text += command[at] ?? "";
    } else text += char;
  }
  // A backslash at the very end has looked one character too far.
  return { end: Math.min(at, command.length), text };
}
