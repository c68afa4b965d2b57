import type { Request } from 'express';
import { Refusal } from '../../api/reply.ts';
import { type FormSettings, offeredLanguages } from '../../apps/form-settings.ts';
import { ORIGIN_REFUSED } from '../../apps/origins.ts';
import type { AppError, Issue, Reason } from '../../platform/core/errors.ts';
import { codeOf } from '../../platform/languages/catalogue.ts';
import { type Language, languageOf, OWN_LANGUAGES } from '../../platform/languages/languages.ts';
import { matchTag } from '../../platform/languages/tags.ts';
import { NEW_CHALLENGE } from '../bots/challenges.ts';

/** Comparing the languages of a longer header takes too long. Browsers send fewer than 100. */
const MAX_ACCEPT_LANGUAGE = 500;

/** The language of an answer to a visitor. */
export interface VisitorLanguage {
  language: Language;
  /** The tag, if the visitor asked for it by `lang` or `_lang`, for the pages that follow. */
  asked?: string;
}

/**
 * Chooses the language of an answer among those that an app offers: the one that the visitor asks
 * for, else by `Accept-Language`, else the app's own.
 *
 * @param settings undefined when the app is not known: then among all languages of the service
 * @param control the form control `_lang`
 */
export function visitorLanguage(
  req: Request,
  settings: Pick<FormSettings, 'locale' | 'languages'> | undefined,
  control?: string,
): VisitorLanguage {
  const offered = settings ? offeredLanguages(settings) : OWN_LANGUAGES;
  const [first = 'en'] = offered;
  if (offered.length === 1) return { language: languageOf(first) };
  for (const tag of [control, req.query.lang, req.query._lang]) {
    const asked = typeof tag === 'string' ? matchTag(offered, tag) : undefined;
    if (asked !== undefined) return { language: languageOf(asked), asked };
  }
  const { length = 0 } = req.headers['accept-language'] ?? '';
  const accepted = length > MAX_ACCEPT_LANGUAGE ? first : req.acceptsLanguages([...offered]);
  return { language: languageOf(accepted || first) };
}

/** The tag that a submission of an app with several languages keeps, for its email and consents. */
export function languageToKeep({ language }: VisitorLanguage, settings: FormSettings): string | undefined {
  return offeredLanguages(settings).length > 1 ? language.tag : undefined;
}

/** A refusal as a page shows it: its English reason, with the code of that text if it has one. */
export interface ShownRefusal extends Reason {
  status: number;
}

/** The statuses whose texts say what to do after a refusal. */
const EXPLAINED = [400, 403, 404, 409, 413, 415, 422, 429, 503] as const;

const explainedStatus = (status: number) => EXPLAINED.find((one) => one === status) ?? 'Other';

/** Returns the title of a refusal with this status. */
export function titleOf(language: Language, status: number): string {
  return language.text(`title${explainedStatus(status)}`);
}

/** Whether the advice after a refusal contains its reason. */
export const isInAdvice = ({ status, message }: ShownRefusal): boolean => status === 404 || message === ORIGIN_REFUSED;

/** Returns what to do after a refusal. */
export function adviceAfter({ status, message }: ShownRefusal, language: Language): string {
  if (message === ORIGIN_REFUSED) return language.text('text403Site');
  // The only 403 for which another attempt helps: the page solves a new challenge.
  const helps = status === 403 && message.endsWith(NEW_CHALLENGE);
  return language.text(helps ? 'text403Again' : `text${explainedStatus(status)}`);
}

/** Returns the reason of a refusal; undefined where only English has it. */
export function reasonIn(language: Language, reason: Reason): string | undefined {
  const code = codeOf(reason.code);
  if (code !== undefined) return language.text(code, reason.params);
  return language.own === 'en' ? reason.message : undefined;
}

/** Returns an issue as an answer of `/v1/forms` has it (spec 7). */
export function issueIn(language: Language, { path, ...reason }: Issue): Issue {
  const { params } = reason;
  const code = codeOf(reason.code) ?? 'invalid';
  const message = reasonIn(language, reason) ?? language.text('invalid');
  return { path, message, code, ...(params && { params }) };
}

/** Returns the JSON answer after a refusal (spec 7). */
export function refusalIn(language: Language, error: AppError): Refusal {
  const { status, issues, facts } = error;
  const message = reasonIn(language, error) ?? titleOf(language, status);
  const body = { message, ...(issues && { errors: issues.map((issue) => issueIn(language, issue)) }), ...facts };
  return new Refusal(status, body, language.tag);
}
