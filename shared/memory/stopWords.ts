/** Words that say nothing about a subject, in seven languages; folded like the text they are compared with. */

import { foldText } from "./foldText.ts";

const lists = [
  // English
  "a an the this that these those i me my we our you your he she it its they them is are was were be been being have has had do does did will would can could should may might to of in on at by for with from as and or but if then than so not no what when where which who whom whose why how about into out up down over please tell find show know remember there here just also",
  // Spanish
  "el la los las un una unos unas de del al y o u en con por para que como es son era fue ser se su sus mi mis tu tus lo le les yo nos sobre cuando donde quien cual esta este esto hay muy mas ya no si",
  // Portuguese
  "o os as um uma uns umas do da dos das em no na nos nas com por para que como sao era foi ser se seu sua seus suas meu minha eu voce nos eles elas sobre quando onde quem qual isto isso esta este ja mais muito nao sim",
  // Arabic
  "في من على الى إلى عن مع هذا هذه ذلك تلك التي الذي هو هي انا أنا نحن هم كان كانت ما لا لم لن قد او أو ثم هل كيف متى أين",
  // Korean
  "은 는 이 가 을 를 의 에 에서 로 으로 와 과 도 만 그 저 것 수 및 또는 그리고 하지만 무엇 언제 어디 어떻게 있다 없다 하다",
  // Japanese
  "の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あの です ます でした 何 いつ どこ どう",
  // Chinese
  "的 了 和 是 就 都 而 及 与 着 或 一个 没有 我们 你们 他们 她们 我 你 他 她 它 这 那 这个 那个 什么 怎么 哪里 吗 呢 吧 在 有 也 很 把 被 请",
];

const all: ReadonlySet<string> = new Set(
  lists.flatMap((list) => list.split(" ")).flatMap((word) => [word, foldText(word)]),
);

/** @param word folded */
export function isStopWord(word: string): boolean {
  return all.has(word);
}
