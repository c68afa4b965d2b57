import type { FormControl } from '#src/features/display/presentation.ts';
import type { CaptchaProvider } from '#src/platform/core/config.ts';
import type { Text } from '#src/platform/languages/texts.ts';

/** The answer of `GET /v1/forms/:sourceAppId` (spec 4.5). */
export interface Definition {
  name?: string;
  /** The style sheet of the theme. */
  style?: string;
  /** With paths of the service. */
  images?: { class: string; src: string; alt: string; dark?: string }[];
  title: string | null;
  description: string | null;
  submitLabel: string | null;
  thanks: string | null;
  next: string | null;
  lang: string;
  dir: 'ltr' | 'rtl';
  /** The texts of the service, in that language. */
  texts: Record<
    'email' | 'send' | 'leaveEmpty' | 'thanks' | 'thanksHeld' | 'thanksConfirm' | 'closed' | 'notSent' | 'text422',
    string
  >;
  closed: boolean;
  honeypot: boolean;
  proofOfWork: boolean;
  /** Absent without a provider of challenges. */
  captcha?: Captcha;
  fields: FormControl[];
  /** The texts of the pages. */
  pages?: { page: number; title: string; description?: string }[];
  /** The texts of problems, of a form without pages and conditions. */
  problems?: Record<string, Text>;
  /** The texts of a form with pages or conditions. */
  steps?: Record<string, Text>;
  /** The texts of a form with files. */
  files?: Record<string, Text>;
}

/** The challenge of a provider (spec 4.5.4). */
export interface Captcha {
  provider: CaptchaProvider;
  siteKey: string;
  entry: string;
  className: string;
  script: string;
  unsolved: string;
}

/** The answer to a submission; `status` 0 means that there was none. */
export interface Answer {
  status: number;
  body: { message?: string; errors?: { path: string; message: string }[]; [name: string]: unknown };
}

/** A request without any progress for this time counts as cut, however long it takes as a whole. */
const STALLED_MS = 30_000;

/** The script element that runs now; a module has none. */
const script =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[src*="/embed/v1"]');

/** The origin of the service, which served this script. */
export const service = new URL(script?.src ?? location.href).origin;

/**
 * Sends a request without headers that need a preflight. Browsers report the progress of an upload
 * to `XMLHttpRequest` only, and to another origin only after a preflight, so only a form with files
 * has one.
 */
export function request(path: string, body?: FormData): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    let stalled = 0;
    function alive(): void {
      clearTimeout(stalled);
      stalled = window.setTimeout(() => sent.abort(), STALLED_MS);
    }
    sent.onprogress = alive;
    if (body && [...body.values()].some((value) => (value as File).size)) sent.upload.onprogress = alive;
    // Null: there is no answer, or one that is no JSON. Then it is too late to stop anything.
    sent.onloadend = () => (sent.response ? resolve({ status: sent.status, body: sent.response }) : reject());
    sent.open(body ? 'POST' : 'GET', service + path);
    sent.responseType = 'json';
    sent.setRequestHeader('accept', 'application/json');
    alive();
    sent.send(body);
  });
}

const definitions: Record<string, Promise<Definition> | undefined> = {};

/** Returns the language of an element. A shadow root inherits that of its host. */
function languageOf(element?: Element): string | undefined {
  const at = element?.closest<HTMLElement>('[data-lang],[lang]');
  if (at || !element) return at?.dataset.lang || at?.lang;
  return languageOf((element.getRootNode() as Partial<ShadowRoot>).host);
}

/** Returns the path of an app's form, in the language of the element. */
export function formPath(app: string, element: Element): string {
  const lang = languageOf(element);
  return `/v1/forms/${app}${lang ? `?lang=${encodeURIComponent(lang)}` : ''}`;
}

/**
 * Resolves with the form at a path. A failure is not kept, so the next call tries again. The
 * console names its likely reasons: browsers hide the answer from a site that the app does not
 * allow.
 */
export function definitionOf(path: string): Promise<Definition> {
  definitions[path] ??= request(path)
    .then(({ status, body }) => {
      if (status === 200) return body as unknown as Definition;
      throw new Error(body.message);
    })
    .catch((error) => {
      definitions[path] = undefined;
      // biome-ignore lint/suspicious/noConsole: for the owner of the site
      console.error(`No form at ${service + path}: check the id of the app, and that it allows ${location.origin}`);
      throw error;
    });
  return definitions[path];
}
