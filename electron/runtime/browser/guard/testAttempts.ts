/** For tests: what a page may try to reach an address, each as the body of a page. */

export const attempts: readonly [string, (target: string) => string][] = [
  ["an iframe", (target) => `<iframe src="${target}"></iframe>`],
  ["a picture", (target) => `<img src="${target}">`],
  ["a style sheet", (target) => `<link rel="stylesheet" href="${target}">`],
  ["a script", (target) => `<script src="${target}"></script>`],
  ["fetch", (target) => `<script>fetch("${target}", { mode: "no-cors" })</script>`],
  ["sendBeacon", (target) => `<script>navigator.sendBeacon("${target}", "x")</script>`],
  [
    "XMLHttpRequest",
    (target) => `<script>const x = new XMLHttpRequest(); x.open("GET", "${target}"); x.send()</script>`,
  ],
  ["an event stream", (target) => `<script>new EventSource("${target}")</script>`],
  ["a meta refresh", (target) => `<meta http-equiv="refresh" content="0;url=${target}">`],
  [
    "a form post",
    (target) =>
      `<form id="f" method="post" action="${target}"><input name="a" value="b"></form><script>f.submit()</script>`,
  ],
  [
    "a worker",
    (target) => `<script>new Worker(URL.createObjectURL(new Blob(['importScripts("${target}")'])))</script>`,
  ],
  [
    "fetch in a worker",
    (target) =>
      `<script>new Worker(URL.createObjectURL(new Blob(['fetch("${target}", { mode: "no-cors" })'])))</script>`,
  ],
  [
    "a worker of a worker",
    (target) => {
      const inner = `new Worker(URL.createObjectURL(new Blob(["fetch('${target}', { mode: 'no-cors' })"])))`;
      return `<script>new Worker(URL.createObjectURL(new Blob([${JSON.stringify(inner)}])))</script>`;
    },
  ],
  ["a prefetch", (target) => `<link rel="prefetch" href="${target}">`],
  ["location", (target) => `<script>location = "${target}"</script>`],
  [
    "a redirect of the server",
    (target) => `<iframe src="/redirect?to=${encodeURIComponent(target)}"></iframe>`,
  ],
  [
    "a redirected fetch",
    (target) => `<script>fetch("/redirect?to=${encodeURIComponent(target)}", { mode: "no-cors" })</script>`,
  ],
  ["a frame in a data document", (target) => `<iframe srcdoc='<img src="${target}">'></iframe>`],
];
