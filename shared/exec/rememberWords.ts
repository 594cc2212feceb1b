/** Keeps answers about words: one command asks the same of each program name many times. */

const maxWords = 1000;
const maxLength = 200;

/**
 * @param make pure; its answers are shared and must not be changed
 * @returns the same function with a bounded memory; long words, which nobody uses twice, are not kept
 */
export function rememberWords<Answer>(make: (word: string) => Answer): (word: string) => Answer {
  const answers = new Map<string, Answer>();
  return (word) => {
    if (word.length > maxLength) return make(word);
    const known = answers.get(word);
    // An answer may itself be undefined or null; only then is the second look needed.
    if (known !== undefined || answers.has(word)) return known as Answer;
    if (answers.size >= maxWords) answers.clear();
    const answer = make(word);
    answers.set(word, answer);
    return answer;
  };
}
