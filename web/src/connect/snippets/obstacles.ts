import type { FormSettings } from '../../api/endpoints.ts';
import { t } from '../../texts/texts.ts';
import { isProvider } from '../captcha.ts';
import { isLocal } from '../overview/origin.ts';
import type { Snippet } from './snippets.ts';

/**
 * The reasons why a snippet does not work, or not for everybody, each with the next step.
 * @param origin the address of the service in the snippet
 */
export function obstaclesOf(
  { runsInPages, provesWork, id }: Pick<Snippet, 'runsInPages' | 'provesWork' | 'id'>,
  { origins, nullOrigin, botProtection }: Pick<FormSettings, 'origins' | 'nullOrigin' | 'botProtection'>,
  origin: string,
): string[] {
  const { snippets } = t.connect;
  const local = runsInPages || id === 'link' ? onlyHere(origin) : [];
  if (botProtection === 'proof-of-work' && id === 'html') return [snippets.formHeld, ...local];
  if ((botProtection === 'proof-of-work' || isProvider(botProtection)) && !provesWork && id !== 'html') {
    return [snippets.codeRefused];
  }
  if (runsInPages && origins.length === 0) return [nullOrigin ? snippets.onlyFiles : snippets.noWebsite, ...local];
  return local;
}

/** What to know about code that goes online and sends to `origin`, if only this computer has it. */
export function onlyHere(origin: string): string[] {
  return isLocal(new URL(origin).hostname) ? [t.connect.snippets.onlyHere(origin)] : [];
}
