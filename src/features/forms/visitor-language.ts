import type { Request } from 'express';
import type { AppError } from '../../platform/core/errors.ts';
import { Refusal } from '../../platform/http/reply.ts';
import { errorBody } from '../../platform/http/validation.ts';
import { problems } from '../../platform/languages/en.ts';
import { type Language, languageOf, OWN_LANGUAGES } from '../../platform/languages/languages.ts';
import type { Issue, Reason, ReasonCode } from '../../platform/languages/reasons.ts';
import { matchTag } from '../../platform/languages/tags.ts';
import { type FormSettings, offeredLanguages } from '../form-settings/form-settings.ts';

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

/** A refusal as a page shows it. */
export interface ShownRefusal extends Reason {
  status: number;
}

/** The statuses whose texts say what to do after a refusal. */
const EXPLAINED = [400, 403, 404, 409, 413, 415, 422, 429, 503] as const;

/** The form of a website is wrong, not what a person entered: the texts are those of 415. */
const OF_WEBSITE: readonly ReasonCode[] = [
  'sentByGet',
  'methodNotAllowed',
  'bodyNotUtf8',
  'notBodyType',
  'notFormData',
  'noBoundary',
  'tooManyEntries',
  'entryNameTooLong',
  'entryNameNul',
];

function explainedStatus({ status, code }: ShownRefusal) {
  const explained = OF_WEBSITE.includes(code) ? 415 : status;
  return EXPLAINED.find((one) => one === explained) ?? 'Other';
}

/** Returns the title of a refusal. */
export function titleOf(language: Language, refusal: ShownRefusal): string {
  return language.text(`title${explainedStatus(refusal)}`);
}

/** Whether the advice after a refusal contains its reason. */
export const isInAdvice = ({ status, code }: ShownRefusal): boolean => status === 404 || code === 'originRefused';

/** The only 403 for which another attempt helps: the page has a new challenge. */
const NEEDS_PROOF: readonly ReasonCode[] = ['proofExpired', 'proofInvalid', 'proofUsed'];
const NEEDS_TOKEN: readonly ReasonCode[] = ['captchaInvalid', 'captchaUsed'];

/** Returns what to do after a refusal. */
export function adviceAfter(refusal: ShownRefusal, language: Language): string {
  const { code } = refusal;
  if (code === 'originRefused') return language.text('text403Site');
  if (NEEDS_TOKEN.includes(code)) return language.text('captchaUnsolved');
  if (code === 'fileTooLarge') return language.text('text413File');
  return language.text(NEEDS_PROOF.includes(code) ? 'text403Again' : `text${explainedStatus(refusal)}`);
}

/** Returns the reason of a refusal; undefined where only English has it. */
export function reasonIn(language: Language, { message, code, params }: Reason): string | undefined {
  if (isForVisitors(code)) return language.text(code, params);
  return language.own === 'en' ? message : undefined;
}

const isForVisitors = (code: ReasonCode): code is keyof typeof problems => Object.hasOwn(problems, code);

/** Returns an issue as an answer of `/v1/forms` has it (spec 7). */
export function issueIn(language: Language, issue: Issue): Issue {
  const message = reasonIn(language, issue) ?? language.text('invalid');
  return isForVisitors(issue.code) ? { ...issue, message } : { path: issue.path, message, code: 'invalid' };
}

/** Returns the JSON answer after a refusal (spec 7). */
export function refusalIn(language: Language, error: AppError): Refusal {
  const { status, issues } = error;
  const body = {
    ...errorBody(error),
    message: reasonIn(language, error) ?? titleOf(language, error),
    errors: issues?.map((issue) => issueIn(language, issue)),
  };
  return new Refusal(status, body, language.tag);
}
