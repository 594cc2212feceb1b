/** Stands in for what only a real page has, for tests of the prompt. */

import { act } from "@testing-library/react";
import { vi } from "vitest";

/** Elements that the fake observer reports as on screen, by the test's word. */
let watchers: { callback: IntersectionObserverCallback; element: Element }[] = [];

class FakeIntersectionObserver {
  callback: IntersectionObserverCallback;
  constructor(callback: IntersectionObserverCallback) {
    this.callback = callback;
  }
  observe(element: Element) {
    watchers.push({ callback: this.callback, element });
  }
  unobserve() {}
  disconnect() {
    watchers = watchers.filter((watcher) => watcher.callback !== this.callback);
  }
  takeRecords() {
    return [];
  }
}

/** Every watched end is on screen from now on. */
export function bringEndsIntoView(): void {
  act(() => {
    for (const { callback, element } of [...watchers]) {
      const entry = { isIntersecting: true, target: element } as unknown as IntersectionObserverEntry;
      callback([entry], new FakeIntersectionObserver(callback) as unknown as IntersectionObserver);
    }
  });
}

/** For `beforeEach`; undone by `vi.unstubAllGlobals`. */
export function fakeObservers(): void {
  watchers = [];
  vi.stubGlobal("IntersectionObserver", FakeIntersectionObserver);
}
