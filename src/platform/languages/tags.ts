/** The most languages of an app beside its own, and of the translations of one text. */
export const MAX_LANGUAGES = 20;

/** Returns whether a text is a BCP 47 tag as `Intl` writes it, such as `de` or `pt-BR`. */
export function isCanonicalTag(text: string): boolean {
  return text.length <= 35 && canonicalTag(text) === text;
}

/** Returns a BCP 47 tag as `Intl` writes it; undefined for any other text. */
export function canonicalTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** Returns the language of a tag without script and region: `pt` for `pt-BR`. */
export function baseLanguage(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? tag;
}

/** Returns the member for a tag, or else for its language; undefined when there is none. */
export function forTag<Value>(byTag: Readonly<Record<string, Value>> | undefined, tag: string): Value | undefined {
  if (byTag === undefined) return undefined;
  const found = [tag, baseLanguage(tag)].find((one) => Object.hasOwn(byTag, one));
  return found === undefined ? undefined : byTag[found];
}

/** Returns the offered tag that a visitor asks for by a tag: the same one, or its language. */
export function matchTag(offered: readonly string[], asked: string): string | undefined {
  if (asked.length > 35) return undefined;
  const wanted = asked.toLowerCase();
  const base = baseLanguage(wanted);
  return (
    offered.find((tag) => tag.toLowerCase() === wanted) ??
    offered.find((tag) => tag.toLowerCase() === base) ??
    offered.find((tag) => baseLanguage(tag) === base)
  );
}
