/** A value that follows another with a delay, so that a burst of changes is one. */

import { useEffect, useState } from "react";

/** @returns the last value that stayed for `delayMs` */
export function useSettled<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
