import { createHash } from 'node:crypto';
import { Versioned } from '../../api/reply.ts';
import type { FormControl } from '../../fields/presentation.ts';
import { controlsOf } from './controls.ts';
import { isClosed } from './form-pages.ts';
import { languageOf } from './locale.ts';
import type { PublicForm } from './public-form.ts';

/** Controls as JSON, with the hash of that text. Each list of controls is serialized once. */
const serialized = new WeakMap<readonly FormControl[], { json: string; hash: string }>();

/** Returns a form as the embed script reads it (spec 4.5). The ETag changes with the content. */
export function formDefinition({ sourceAppId, settings, fields }: PublicForm): Versioned {
  const { title = null, description = null, submitLabel = null, thanks = null, next = null } = settings;
  const texts = JSON.stringify({
    sourceAppId,
    title,
    description,
    submitLabel,
    thanks,
    next,
    ...languageOf(settings.locale),
    closed: isClosed(settings),
    honeypot: settings.botProtection !== 'off',
    proofOfWork: settings.botProtection === 'proof-of-work',
  });
  const controls = serializedControls(controlsOf(fields));
  const json = `${texts.slice(0, -1)},"fields":${controls.json}}`;
  return new Versioned(json, `"${hashOf(texts + controls.hash)}"`);
}

function serializedControls(controls: readonly FormControl[]): { json: string; hash: string } {
  let result = serialized.get(controls);
  if (!result) {
    const json = JSON.stringify(controls);
    result = { json, hash: hashOf(json) };
    serialized.set(controls, result);
  }
  return result;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
