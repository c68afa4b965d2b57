import { createHash } from 'node:crypto';
import { Versioned } from '../../api/reply.ts';
import { formControl } from '../../fields/presentation.ts';
import { isClosed } from './form-pages.ts';
import { languageOf } from './locale.ts';
import type { PublicForm } from './public-form.ts';

/** Returns a form as the embed script reads it (spec 4.5). The ETag changes with the content. */
export function formDefinition({ sourceAppId, settings, fields }: PublicForm): Versioned {
  const { title = null, description = null, submitLabel = null, thanks = null, next = null } = settings;
  const json = JSON.stringify({
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
    fields: fields.map(formControl),
  });
  return new Versioned(json, `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`);
}
