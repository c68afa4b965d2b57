import { z } from 'zod';
import { byLanguage, FIELD_KEY_PATTERN } from '../../core/fields/base/kind.ts';
import { FieldConditions } from '../../core/fields/definition.ts';
import { normalizeEmail } from '../../platform/core/identifiers.ts';
import { code, problem } from '../../platform/languages/problems.ts';
import { say } from '../../platform/languages/reasons.ts';
import { PLACEHOLDER } from '../../platform/text/text.ts';
import { ConditionProblem, RecordConditions, type StoredConditions } from '../record-conditions/stored-conditions.ts';
import { oneOf, orAbsent, text, unset } from './app-setting.ts';

const MAX_NOTIFIED = 10;
/** Longer subjects are cut when an email is sent. */
const MAX_SUBJECT = 150;
const MAX_INCLUDED = 50;

/** The most routes of an app. */
const MAX_ROUTES = 20;

const NotifiedEmail = z.string(code('notText')).transform((text, context) => {
  const email = normalizeEmail(text);
  if (email !== undefined) return email;
  context.addIssue({ code: 'custom', message: code('notEmail') });
  return z.NEVER;
});

const notifiedEmails = z
  .array(NotifiedEmail)
  .max(MAX_NOTIFIED, code('tooManyItems', { max: MAX_NOTIFIED }))
  .transform((emails) => [...new Set(emails)])
  .meta({ override: { type: 'array', items: { type: 'string' } }, example: ['team@example.com'] });

/** Addresses that receive an email about each record for which the conditions hold. */
export interface NotifyRoute {
  if: StoredConditions;
  emails: string[];
}

export interface Notify {
  emails: string[];
  when: 'each' | 'daily';
  routes?: NotifyRoute[] | undefined;
}

/** The placeholder of a link to the own entry (spec 4.16). */
export const ENTRY_LINK = 'entryLink';

/** The texts of a reply. Only `text` has placeholders. */
const replyTexts = { subject: text(MAX_SUBJECT), text: text(5_000) };

/** Reports the placeholders of a subject, which is a header, and unknown ones of a text. */
function checkPlaceholders(
  { subject, text }: Record<keyof typeof replyTexts, string>,
  known: readonly string[],
  path: readonly string[],
) {
  const problems = [];
  // biome-ignore lint/plugin: the first one, in linear time
  const [inSubject] = subject.matchAll(PLACEHOLDER);
  if (inSubject) problems.push(problem('placeholderInSubject', {}, [...path, 'subject']));
  // biome-ignore lint/plugin: of at most 5,000 characters
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name = '']) => !known.includes(name));
  if (unknown) problems.push(problem('notPlaceholder', { placeholder: unknown[0] }, [...path, 'text']));
  return problems;
}

interface ReplyTexts {
  text: string;
  texts?: Readonly<Record<string, { text: string }>> | undefined;
  include?: readonly string[] | undefined;
}

/** Whether a reply has a link to the own entry: a field that it includes may have that key. */
const hasEntryLink = ({ text, texts = {}, include = [] }: ReplyTexts): boolean =>
  !include.includes(ENTRY_LINK) &&
  [text, ...Object.values(texts).map((one) => one.text)].some((one) => one.includes(`{${ENTRY_LINK}}`));

/** The emails about records (spec 4.12). */
export const emailSettings = {
  /** When operators receive emails: for each change, or once a day. */
  notify: orAbsent(
    z
      .strictObject({
        /** Those who hear of every record. May be absent with routes. */
        emails: notifiedEmails.nullish(),
        when: z.enum(['each', 'daily'], code('notNotifyTime')),
        /** Those who hear of the records that match (notifications/recipients.ts). */
        routes: z
          .array(
            z
              .strictObject({
                if: RecordConditions,
                emails: notifiedEmails.refine((emails) => emails.length > 0, code('required')),
                /** Of a response. */
                problem: z.unknown().optional(),
              })
              .transform(({ if: conditions, emails }): NotifyRoute => ({ if: conditions, emails })),
          )
          .max(MAX_ROUTES, code('tooManyItems', { max: MAX_ROUTES }))
          .nullish(),
      })
      .check(({ value: { emails, when, routes }, issues }) => {
        const hasRoutes = routes && routes.length > 0;
        if (!hasRoutes && !emails) {
          issues.push({ code: 'invalid_type', expected: 'array', input: emails, path: ['emails'] });
        }
        if (hasRoutes && when !== 'each') issues.push(problem('onlyWithEach', {}, ['routes']));
      })
      .transform(({ emails, when, routes }): Notify | undefined => {
        if (routes && routes.length > 0) return { emails: emails ?? [], when, routes };
        return emails && emails.length > 0 ? { emails, when } : undefined;
      }),
    {
      description: 'Who receives an email about new and changed records; absent if nobody does',
      response: z.strictObject({
        emails: z.array(z.string()),
        when: z.enum(['each', 'daily']),
        routes: z
          .array(
            z.strictObject({
              if: FieldConditions,
              emails: z.array(z.string()),
              problem: ConditionProblem.optional(),
            }),
          )
          .optional()
          .meta({ description: 'Who receives those about the records that match; absent without any' }),
      }),
      stored: z.strictObject({
        emails: z.array(z.string()),
        when: z.enum(['each', 'daily']),
        routes: z.array(z.strictObject({ if: FieldConditions, emails: z.array(z.string()) })).optional(),
      }) as unknown as z.ZodType<Notify>,
      needs: () => 'mail',
      needsEvents: ({ when }) => when === 'each',
    },
  ),
  doubleOptIn: orAbsent(
    z.boolean(code('notBoolean')).transform((isOn) => (isOn ? (true as const) : undefined)),
    {
      description: 'Each person is asked by email to confirm the address; absent if not',
      response: z.literal(true),
      needs: () => 'links',
      needsEvents: () => true,
    },
  ),
  /** The email to the person after a submission: one that creates a record, or each. */
  reply: orAbsent(
    z
      .strictObject({
        when: oneOf(['created', 'each']),
        ...replyTexts,
        /** In other languages, by their tags. */
        texts: unset(
          byLanguage(z.strictObject(replyTexts)).transform((byTag) =>
            Object.keys(byTag).length > 0 ? byTag : undefined,
          ),
        ),
        /** The keys of the fields that placeholders may name beside `email`. */
        include: z
          .array(z.string(code('notText')).regex(FIELD_KEY_PATTERN, code('notFieldKey')))
          .max(MAX_INCLUDED, code('tooManyItems', { max: MAX_INCLUDED }))
          .nullish()
          .transform((keys) => (keys && keys.length > 0 ? keys : undefined))
          .meta({ example: ['seats'] }),
      })
      .check(({ value, issues }) => {
        const known = ['email', ENTRY_LINK, ...(value.include ?? [])];
        issues.push(...checkPlaceholders(value, known, []));
        for (const [tag, texts] of Object.entries(value.texts ?? {})) {
          issues.push(...checkPlaceholders(texts, known, ['texts', tag]));
        }
      })
      .meta({ example: { when: 'created', subject: 'Thank you', text: 'We have your entry for {email}.' } }),
    {
      description: 'The email to the person after a submission; absent if none is sent',
      needs: (reply) => (hasEntryLink(reply) ? 'links' : 'mail'),
      needsEvents: () => true,
      // A stored key stays: its field was removed or renamed, and a response can be sent back.
      async check({ include = [] }, readFields, stored) {
        if (include.length === 0) return [];
        const fields = await readFields();
        if (include.every((key) => fields.has(key))) return [];
        const { include: kept = [] } = (await stored()) ?? {};
        return include.flatMap((key, at) => {
          const isKnown = fields.has(key) || kept.includes(key);
          return isKnown ? [] : [{ path: `include.${at}`, ...say('unknownField') }];
        });
      },
    },
  ),
};
