import { service } from './service.ts';

/** The parts of this script that only some forms need, by the names of their files. */
interface Parts {
  form: typeof import('./form.ts');
  steps: typeof import('./steps.ts');
  challenge: typeof import('./challenge.ts');
  files: typeof import('./files.ts');
  page: typeof import('./page.ts');
}

/** The hashes of the built parts; all files are of one version. */
declare const PART_HASHES: Readonly<Record<keyof Parts, string>>;

/** Loads a part, once for a page. Rejects when it does not load; the next call tries again. */
export function part<Name extends keyof Parts>(name: Name): Promise<Parts[Name]> {
  const load = (file: string): Promise<Parts[Name]> => import(/* @vite-ignore */ `${service}/embed/${file}.js`);
  // A server of another version has no file of this hash.
  return load(`v1-${name}-${PART_HASHES[name]}`).catch(() => load(`v1-${name}`));
}

const adopted = new WeakMap<ShadowRoot, Set<() => CSSStyleSheet>>();

/** Gives an embedded form the style sheet of a part, once. */
export function adopt(root: ShadowRoot | undefined, styleSheet: () => CSSStyleSheet): void {
  if (!root) return;
  const known = adopted.get(root) ?? new Set();
  if (known.has(styleSheet)) return;
  adopted.set(root, known.add(styleSheet));
  root.adoptedStyleSheets.push(styleSheet());
}
