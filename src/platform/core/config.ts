import { isIP } from 'node:net';
import { availableParallelism, homedir, totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { reasonIn } from '../languages/problems.ts';
import { NamedError } from './errors.ts';
import { FILES_URL_FORMAT, parseFilesUrl } from './files-url.ts';
import { APP_ID_FORMAT, APP_ID_PATTERN, REACHABLE_APP_ID, UNREACHABLE_APP_ID } from './identifiers.ts';
import { memoryLimit, workersWithin } from './memory.ts';
import { connectionStringProblem } from './mongodb-uri.ts';
import { AppRole } from './roles.ts';
import { MIN_PASSWORD_LENGTH, passwordProblem } from './secrets.ts';
import { MAILBOX_FORMAT, parseMailbox, parseSmtpUrl, SMTP_URL_FORMAT } from './smtp-url.ts';
import { isOrigin, isWebOrigin, ORIGIN_FORMAT, parseRedirectUrl, WEB_ORIGIN_FORMAT } from './web-origin.ts';

// The kinds of values of environment variables. Each converts a text.

export const MEGABYTE = 1024 * 1024;
const UNITS: Record<string, number> = { '': 1, b: 1, kb: 1024, mb: MEGABYTE };

/** The result of a parser. @param format the expected form as the message names it */
const parsed = <Value>(parse: (text: string) => Value | undefined, format: string) =>
  z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `must be ${format}` });
    return z.NEVER;
  });

/** One of these texts. */
const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, `must be ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values)}`);

/** A text without blanks around it. */
const text = (most: number) => {
  const message = `must have 1 to ${most} characters`;
  return z.string().trim().min(1, message).max(most, message);
};

const trueOrFalse = oneOf('true', 'false').transform((text) => text === 'true');

const whole = (low: number, high: number) =>
  parsed((text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    return number >= low && number <= high ? number : undefined;
  }, `a whole number from ${low} to ${high}`);

/** A number of bytes, like `100kb`. @param range the range as the message names it */
const bytes = (low: number, range: string, high = 15 * MEGABYTE) =>
  parsed((text) => {
    const [, number, unit = ''] = /^(\d{1,9})\s*(b|kb|mb)?$/i.exec(text) ?? [];
    const size = Number(number ?? 0) * (UNITS[unit.toLowerCase()] ?? 1);
    return size >= low && size <= high ? size : undefined;
  }, `a size ${range}`);

const origins = z.string().transform((text, context) => {
  const list = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const malformed = list.find((origin) => !isOrigin(origin));
  if (malformed === undefined) return list;
  context.addIssue({ code: 'custom', message: `has "${malformed}": each origin is ${ORIGIN_FORMAT}` });
  return z.NEVER;
});

const mongodbUri = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s]+$/, {
    message: 'must begin with mongodb:// or mongodb+srv:// and name a host',
    abort: true,
  })
  .superRefine((uri, context) => {
    const problem = connectionStringProblem(uri);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

/** The origin of this service. The final slash that browsers add does not count. */
const publicUrl = parsed((text) => {
  const origin = text.replace(/\/$/, '');
  return isWebOrigin(origin) ? origin : undefined;
}, `the origin of this service: ${WEB_ORIGIN_FORMAT}`);

/** A host name, an IPv4 address or an IPv6 address in brackets, and a TCP port. */
const hostAndPort = parsed((text) => {
  const [, name = '', address, port = ''] = /^(?:([\w.-]{1,253})|\[([0-9a-f:.]+)\]):(\d{1,5})$/i.exec(text) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  return isPort ? { host: address ?? name, port: Number(port) } : undefined;
}, 'a host and a port, like localhost:3310');

/** As `trust proxy` of Express, without `true`, which trusts the headers of any client. */
const trustProxy = parsed((text) => {
  if (text === 'off' || text === 'false' || text === '0') return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const list = text.split(',').map((part) => part.trim());
  return list.every(isAddressOrRange) ? list : undefined;
}, 'off, a number of proxies like 1, or addresses like 10.0.0.0/8,loopback');

/** Checks at start-up what Express rejects only on the first request. */
function isAddressOrRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** The issuer of single sign-on: `https:`, or `http:` on localhost for trials. */
const issuer = parsed((text) => {
  const url = parseRedirectUrl(text);
  return url && url.search === '' && url.hash === '' ? text : undefined;
}, 'an https: URL without query, or http: on localhost');

const MAX_ROLE_RULES = 200;
const Group = z.string().min(1).max(200);
const RoleRule = z.union([
  z.strictObject({ group: Group, sourceAppId: z.string().regex(APP_ID_PATTERN), role: AppRole }),
  z.strictObject({ group: Group, admin: z.literal(true) }),
]);
export type RoleRule = z.infer<typeof RoleRule>;

/** What the groups of a provider give, as JSON. */
const roleMap = parsed((text): RoleRule[] | undefined => {
  try {
    return z.array(RoleRule).min(1).max(MAX_ROLE_RULES).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON
  }
}, `a JSON list of { "group", "sourceAppId", "role" } and { "group", "admin": true }, at most ${MAX_ROLE_RULES}`);

/** Where providers of challenges answer for tokens (spec 4.5.4). */
const CAPTCHA_URLS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
  friendly: 'https://global.frcapi.com/api/v2/captcha/siteverify',
};
export type CaptchaProvider = keyof typeof CAPTCHA_URLS;

const CaptchaUrl = z.string().refine((url) => parseRedirectUrl(url) !== undefined);
const { turnstile, hcaptcha, recaptcha, friendly } = CAPTCHA_URLS;
const CaptchaUrls = z.strictObject({
  turnstile: CaptchaUrl.default(turnstile),
  hcaptcha: CaptchaUrl.default(hcaptcha),
  recaptcha: CaptchaUrl.default(recaptcha),
  friendly: CaptchaUrl.default(friendly),
});

const captchaUrls = parsed((text): Record<CaptchaProvider, string> | undefined => {
  try {
    return CaptchaUrls.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON
  }
}, 'a JSON object with https: URLs, or http: on localhost, by turnstile, hcaptcha, recaptcha or friendly');

const MAX_WORKERS = 64;

/**
 * The processes that serve requests. `auto`: one for each core that this process may use, and no
 * more than its memory suffices for.
 */
const workers = parsed((text) => {
  if (text === 'auto') {
    return Math.min(availableParallelism(), workersWithin(memoryLimit() ?? totalmem()), MAX_WORKERS);
  }
  return /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_WORKERS ? Number(text) : undefined;
}, `auto, or a whole number from 1 to ${MAX_WORKERS}`);

/** A password that a log-in accepts, with the least length for an administrator. */
export const password = z.string().superRefine((text, context) => {
  const tooShort = text.length < MIN_PASSWORD_LENGTH && `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  const problem = passwordProblem(text) ?? tooShort;
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

/** Invalid configuration: one line for each invalid variable. */
export class ConfigError extends NamedError {
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** A variable. @param help what it sets, as a line of help */
const setting = <Value extends z.ZodType>(help: string, value: Value): Value => value.describe(help);

/** A variable whose value, or a part of it, is a secret. */
const secret = <Value extends z.ZodType>(help: string, value: Value): Value =>
  value.meta({ description: help, isSecret: true });

/**
 * The variables. A default is written as in the environment; a variable without one is optional,
 * and its help says what happens. docs/operations.md, "Configuration", explains them.
 */
export const environment = z.object({
  NODE_ENV: setting(
    'production: Secure cookies, a limit on submissions, and SESSION_SECRET is required',
    oneOf('development', 'production', 'test').prefault('development'),
  ),
  PORT: setting('port to listen on; 0: a free one', whole(0, 65_535).prefault('3000')),
  HOST: setting('address to listen on', z.string().prefault('0.0.0.0')),
  WORKERS: setting(
    'processes that serve requests; auto: one for each core, if the memory suffices',
    workers.prefault('1'),
  ),
  MONGODB_URI: secret('database; without it, an embedded one in DATA_DIR', mongodbUri.optional()),
  DATA_DIR: setting(
    'folder of the embedded database and of the generated session secret',
    z.string().prefault('./data'),
  ),
  ADMIN_APP_ID: setting(
    'id of the first admin app',
    z
      .string()
      .regex(APP_ID_PATTERN, `must be ${APP_ID_FORMAT}`)
      .regex(REACHABLE_APP_ID, UNREACHABLE_APP_ID)
      .prefault('admin'),
  ),
  ADMIN_PASSWORD: secret(
    'password of the first admin app; without it, one is generated and printed',
    password.optional(),
  ),
  SESSION_SECRET: secret(
    'signs session cookies, the same on every server; without it, one is kept in DATA_DIR',
    z.string().min(16, 'must have at least 16 characters').optional(),
  ),
  SESSION_COOKIE_NAME: setting(
    'name of the session cookie',
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or hyphens')
      .prefault('sid'),
  ),
  CORS_ORIGINS: setting(
    'browser origins that may send requests, separated by commas; without it, none',
    origins.default([]).readonly(),
  ),
  TRUST_PROXY: setting('number of reverse proxies, or their addresses', trustProxy.readonly().prefault('off')),
  RATE_LIMIT_SUBMIT: setting(
    'submissions per minute for one app and network; 0: no limit; without it, 600 in production and 0 elsewhere',
    whole(0, 1_000_000).optional(),
  ),
  RATE_LIMIT_LOGIN: setting(
    'failed log-ins in 15 minutes for one app and network; 0: no limit',
    whole(0, 1_000_000).prefault('20'),
  ),
  MAX_ARRAY_ITEMS: setting('most items in an array field of a record', whole(1, 100_000).prefault('1000')),
  BODY_LIMIT: setting(
    'largest request body after decompression',
    bytes(1024, 'from 1kb to 15mb, like 100kb').prefault('100kb'),
  ),
  RECORD_LIMIT: setting('largest stored record', bytes(256 * 1024, 'from 256kb to 15mb, like 1mb').prefault('1mb')),
  SMTP_URL: secret(
    'SMTP server, set together with MAIL_FROM; without it, no email is sent',
    parsed(parseSmtpUrl, SMTP_URL_FORMAT).readonly().optional(),
  ),
  MAIL_FROM: setting(
    'sender of emails, like Forms <forms@example.com>, set together with SMTP_URL',
    parsed(parseMailbox, MAILBOX_FORMAT).readonly().optional(),
  ),
  PUBLIC_URL: setting(
    'origin of this service in links of emails, like https://forms.example.com',
    publicUrl.optional(),
  ),
  IMPORT_LIMIT: setting(
    'largest file of an import',
    bytes(MEGABYTE, 'from 1mb to 4096mb, like 256mb', 4096 * MEGABYTE).prefault('256mb'),
  ),
  IMPORT_APP_LIMIT: setting(
    'files of all unfinished imports of an app together',
    bytes(MEGABYTE, 'from 1mb to 65536mb, like 1024mb', 65_536 * MEGABYTE).prefault('1024mb'),
  ),
  FILE_LIMIT: setting('largest file of a form, in bytes', whole(1_000, 1_000_000_000).prefault('10000000')),
  FILES_APP_LIMIT: setting(
    'all files of an app together, in bytes',
    whole(1_000, 1_000_000_000_000).prefault('1000000000'),
  ),
  FILES_URL: setting(
    'bucket of files, like s3://bucket/prefix?endpoint=https://host&region=name; without it, the database',
    parsed(parseFilesUrl, FILES_URL_FORMAT).readonly().optional(),
  ),
  CLAMD: setting(
    'virus scanner of files (clamd), like localhost:3310; without it, no file is scanned',
    hostAndPort.readonly().optional(),
  ),
  WEBHOOKS_ALLOW_PRIVATE: setting(
    'true: webhooks may have private addresses and plain HTTP',
    trueOrFalse.prefault('false'),
  ),
  CAPTCHA_URLS: setting(
    'where providers of challenges answer, as JSON, like {"friendly":"https://…"}; without it, their own addresses',
    captchaUrls.readonly().optional(),
  ),
  OIDC_ISSUER: setting('provider of single sign-on; without it, there is none', issuer.optional()),
  OIDC_CLIENT_ID: setting('id of this service at the provider', text(500).optional()),
  OIDC_CLIENT_SECRET: secret(
    'secret of a confidential client',
    z.string().max(2_000, 'must have at most 2000 characters').optional(),
  ),
  OIDC_LABEL: setting('name of the provider on the log-in page', text(50).prefault('SSO')),
  OIDC_GROUPS_CLAIM: setting('claim with the groups of an account', text(200).optional()),
  OIDC_ROLE_MAP: setting('what groups give, as JSON', roleMap.readonly().optional()),
  OIDC_SIGNUP: setting(
    'mapped: somebody whose groups give a role gets an account',
    oneOf('off', 'mapped').prefault('off'),
  ),
  OIDC_ONLY: setting('true: single sign-on is the only way to log in', trueOrFalse.prefault('false')),
  MONGOMS_SYSTEM_BINARY: setting(
    'mongod of the embedded database; without it, one is found or downloaded',
    z.string().optional(),
  ),
  XDG_CACHE_HOME: setting('folder for a downloaded mongod; without it, ~/.cache', z.string().optional()),
  PATH: z.string().default(''),
  MCP: setting('true: POST /mcp serves the Model Context Protocol', trueOrFalse.prefault('false')),
  METRICS_TOKEN: secret(
    'token that GET /metrics requires; without it, there are no metrics',
    z
      .string()
      .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters')
      .optional(),
  ),
  MIGRATE_ON_START: setting(
    'false: a server does not start when stored data must be migrated',
    trueOrFalse.prefault('true'),
  ),
  AUDIT_DAYS: setting('days for which the audit log keeps an event', whole(1, 3_650).prefault('400')),
  LOG_LEVEL: setting(
    'trace, debug, info, warn, error, fatal or silent',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').prefault('info'),
  ),
});

/** The settings for the help of the command line. PATH belongs to the operating system. */
export const SETTINGS = Object.entries(environment.shape)
  .filter(([name]) => name !== 'PATH')
  .map(([name, variable]) => ({
    name,
    help: variable.description ?? '',
    standard: variable instanceof z.ZodPrefault ? String(variable.def.defaultValue) : undefined,
    isSecret: variable.meta()?.isSecret === true,
  }));

export type Config = ReturnType<typeof loadConfig>;

/**
 * Reads the configuration from an environment and freezes it. An empty variable counts as unset.
 *
 * @throws {ConfigError} with one line for each invalid variable
 */
export function loadConfig(env: Record<string, string | undefined>) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const result = environment.safeParse(given);
  const lines = result.success
    ? []
    : result.error.issues.map((issue) => `${issue.path.join('.')} ${reasonIn(issue).message}`);
  if (given.NODE_ENV === 'production' && given.SESSION_SECRET === undefined) {
    lines.push('SESSION_SECRET is required in production: set it to a long random text, the same on every server');
  }
  if ((given.SMTP_URL === undefined) !== (given.MAIL_FROM === undefined)) {
    const [set, unset] = given.SMTP_URL === undefined ? ['MAIL_FROM', 'SMTP_URL'] : ['SMTP_URL', 'MAIL_FROM'];
    lines.push(`${unset} is required with ${set}: set both to send email, or none`);
  }
  if (given.NODE_ENV !== 'production' && /^__(?:Host|Secure)-/i.test(given.SESSION_COOKIE_NAME ?? '')) {
    lines.push('SESSION_COOKIE_NAME must not begin with __Host- or __Secure-, except with NODE_ENV=production');
  }
  lines.push(...signOnProblems(given));
  if (result.success) lines.push(...limitProblems(result.data));
  if (!result.success || lines.length > 0) throw new ConfigError(lines);

  const value = result.data;
  const production = value.NODE_ENV === 'production';
  return Object.freeze({
    production,
    port: value.PORT,
    host: value.HOST,
    workers: value.WORKERS,
    mongodbUri: value.MONGODB_URI,
    dataDir: value.DATA_DIR,
    adminAppId: value.ADMIN_APP_ID,
    adminPassword: value.ADMIN_PASSWORD,
    sessionSecret: value.SESSION_SECRET,
    sessionCookieName: value.SESSION_COOKIE_NAME,
    corsOrigins: value.CORS_ORIGINS,
    trustProxy: value.TRUST_PROXY,
    rateLimitSubmit: value.RATE_LIMIT_SUBMIT ?? (production ? 600 : 0),
    /** Failed log-ins in 15 minutes per app and address; 3 times that over all apps. 0: no limit */
    rateLimitLogin: value.RATE_LIMIT_LOGIN,
    maxArrayItems: value.MAX_ARRAY_ITEMS,
    /** Maximum size of a request body after decompression, in bytes. */
    bodyLimit: value.BODY_LIMIT,
    /** Maximum size of a stored record, in bytes. */
    recordLimit: value.RECORD_LIMIT,
    metricsToken: value.METRICS_TOKEN,
    /** Whether programs reach tools by the Model Context Protocol (spec 4.15). */
    mcp: value.MCP,
    migrateOnStart: value.MIGRATE_ON_START,
    auditDays: value.AUDIT_DAYS,
    /** Undefined: the service sends no email. */
    mail: value.SMTP_URL && value.MAIL_FROM && Object.freeze({ server: value.SMTP_URL, from: value.MAIL_FROM }),
    publicUrl: value.PUBLIC_URL,
    /** The largest file of an import, and of all files of an app at the same time, in bytes. */
    importLimits: Object.freeze({ perImport: value.IMPORT_LIMIT, perApp: value.IMPORT_APP_LIMIT }),
    /** The largest file of a form, and all files of an app together, in bytes. */
    fileLimits: Object.freeze({ perFile: value.FILE_LIMIT, perApp: value.FILES_APP_LIMIT }),
    /** Undefined: the content of files is in the database. */
    filesBucket: value.FILES_URL,
    /** Undefined: no file is scanned. */
    clamd: value.CLAMD,
    webhooksAllowPrivate: value.WEBHOOKS_ALLOW_PRIVATE,
    captchaUrls: Object.freeze(value.CAPTCHA_URLS ?? CAPTCHA_URLS),
    /** Single sign-on by OpenID Connect; undefined: there is none. */
    oidc: signOn(value),
    logLevel: value.LOG_LEVEL,
    /** Where to find a mongod for the embedded database. */
    mongod: Object.freeze({
      binary: value.MONGOMS_SYSTEM_BINARY,
      searchPath: Object.freeze(value.PATH.split(delimiter).filter((folder) => folder !== '')),
      cacheDir: join(value.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'user-collection-service'),
    }),
  });
}

export type SignOnConfig = NonNullable<ReturnType<typeof signOn>>;

function signOn(value: z.output<typeof environment>) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: origin } = value;
  if (issuer === undefined || clientId === undefined || origin === undefined) return undefined;
  return Object.freeze({
    issuer,
    clientId,
    clientSecret: value.OIDC_CLIENT_SECRET,
    publicUrl: origin,
    label: value.OIDC_LABEL,
    groupsClaim: value.OIDC_GROUPS_CLAIM,
    roleMap: value.OIDC_ROLE_MAP ?? [],
    /** Whether somebody whose groups give a role gets an account. */
    createsAccounts: value.OIDC_SIGNUP === 'mapped',
    /** Whether every other way to log in is refused. */
    only: value.OIDC_ONLY,
  });
}

/** Limits of one file that exceed the limit of all files of an app, one line for each. */
function limitProblems(value: z.output<typeof environment>): string[] {
  const pairs = [
    ['FILE_LIMIT', 'FILES_APP_LIMIT'],
    ['IMPORT_LIMIT', 'IMPORT_APP_LIMIT'],
  ] as const;
  const wrong = pairs.filter(([one, all]) => value[one] > value[all]);
  return wrong.map(([one, all]) => `${one} must be at most ${all}`);
}

/** Variables of single sign-on that are missing, one line for each. */
function signOnProblems(given: Record<string, string | undefined>): string[] {
  const set = Object.keys(given).filter((name) => name.startsWith('OIDC_'));
  if (set.length === 0) return [];
  const needed = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'PUBLIC_URL'];
  if (given.OIDC_ROLE_MAP !== undefined || given.OIDC_SIGNUP === 'mapped') {
    needed.push('OIDC_ROLE_MAP', 'OIDC_GROUPS_CLAIM');
  }
  const missing = needed.filter((name) => given[name] === undefined);
  return missing.map((name) => `${name} is required with ${set[0]}`);
}
