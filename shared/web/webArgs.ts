/** Arguments of the web tools as models really send them. */

/**
 * @param names of the parameters, as in the schema; their snake_case or camelCase twin is taken too
 * @param numbers those of them that are numbers: text such as "5 items" counts
 * @returns trimmed texts; empty ones and nulls are absent. Unknown names stay, so that the schema can refuse them
 */
export function webArgs(names: readonly string[], numbers: readonly string[] = []) {
  const twins = new Map(names.flatMap((name) => twinsOf(name).map((twin) => [twin, name] as const)));
  return (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const given = new Map(Object.entries(value));
    const args: Record<string, unknown> = Object.create(null);
    for (const [key, item] of given) {
      const name = twins.get(key) ?? key;
      // The real name wins over its twin.
      if (name !== key && given.has(name)) continue;
      const text = typeof item === "string" ? item.trim() : item;
      if (text === "" || text === null || text === undefined) continue;
      args[name] = numbers.includes(name) ? numberOf(text) : text;
    }
    return args;
  };
}

function twinsOf(name: string): string[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [snake, camel].filter((twin) => twin !== name);
}

function numberOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const number = Number.parseFloat(value);
  return Number.isFinite(number) ? number : value;
}
