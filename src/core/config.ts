import { isIP } from 'node:net';
import { availableParallelism, homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ConnectionString } from 'mongodb-connection-string-url';
import { z } from 'zod';
import { APP_ID_FORMAT, APP_ID_PATTERN, REACHABLE_APP_ID, UNREACHABLE_APP_ID } from './identifiers.ts';
import { AppRole } from './roles.ts';
import { MIN_PASSWORD_LENGTH, passwordProblem } from './secrets.ts';
import { MAILBOX_FORMAT, parseMailbox, parseSmtpUrl, SMTP_URL_FORMAT } from './smtp-url.ts';
import { isWebOrigin, parseRedirectUrl, WEB_ORIGIN_FORMAT } from './web-origin.ts';

/** Options with a single accepted value: others weaken a guarantee or have no effect. */
const FIXED = new Map([
  ['w', 'majority'],
  ['journal', 'true'],
  ['j', 'true'],
  ['retryWrites', 'true'],
  ['retryReads', 'true'],
  ['readPreference', 'primary'],
  // Behind a load balancer the driver does not learn which member is primary (database/client.ts).
  ['loadBalanced', 'false'],
]);

/** Options for the address of the database, authentication, encryption and the connection pool. */
const ALLOWED = [
  ...['authSource', 'authMechanism', 'authMechanismProperties'],
  ...['appName', 'directConnection', 'replicaSet', 'srvMaxHosts', 'srvServiceName', 'srvAllowedHostsSuffix'],
  ...['tls', 'ssl', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames', 'tlsCAFile', 'tlsCRLFile'],
  ...['tlsCertificateKeyFile', 'tlsCertificateKeyFilePassword', 'tlsInsecure'],
  ...['compressors', 'zlibCompressionLevel', 'proxyHost', 'proxyPort', 'proxyUsername', 'proxyPassword'],
  ...['maxPoolSize', 'minPoolSize', 'maxConnecting', 'maxIdleTimeMS', 'localThresholdMS', 'serverMonitoringMode'],
];

/** Known options that are always refused. They are listed so that the message can name them. */
const REFUSED = [
  // Write timeouts and read behaviour: set by `connectDatabase` and the request deadline.
  ...['wtimeout', 'wtimeoutMS', 'fsync', 'safe', 'writeConcern'],
  ...['readConcern', 'readConcernLevel', 'readPreferenceTags', 'maxStalenessSeconds', 'hedge', 'slaveOk'],
  // Overridden by `connectDatabase`, or ignored by the driver.
  ...['connectTimeoutMS', 'socketTimeoutMS', 'serverSelectionTimeoutMS', 'waitQueueTimeoutMS', 'timeoutMS'],
  ...['heartbeatFrequencyMS', 'minHeartbeatFrequencyMS', 'maxAdaptiveRetries', 'enableOverloadRetargeting'],
  ...['dbName', 'autoIndex', 'autoCreate', 'bufferCommands'],
  // How values are encoded and decoded; the code relies on the defaults.
  ...['raw', 'fieldsAsRaw', 'promoteValues', 'promoteLongs', 'promoteBuffers', 'useBigInt64', 'bsonRegExp'],
  ...['ignoreUndefined', 'serializeFunctions', 'checkKeys', 'forceServerObjectId', 'enableUtf8Validation', 'pkFactory'],
  // These write commands, and with them records, to the output.
  ...['monitorCommands', 'mongodbLogPath', 'mongodbLogComponentSeverities', 'mongodbLogMaxDocumentLength'],
];

const fixedValues = new Map([...FIXED].map(([name, value]) => [name.toLowerCase(), value]));
const allowedNames = new Set(ALLOWED.map((name) => name.toLowerCase()));
const knownNames = new Map([...FIXED.keys(), ...REFUSED].map((name) => [name.toLowerCase(), name]));

/**
 * Checks the options of a MongoDB connection string against the guarantees of the service.
 *
 * Option names are case-insensitive and every occurrence counts. Only options known to be harmless
 * are accepted. The result never contains a value or an unknown name, because either may be part of
 * an unescaped password.
 *
 * @param uri begins with `mongodb://` or `mongodb+srv://`
 * @returns the reason for a refusal, one line that begins with `must`, or undefined
 */
export function connectionStringProblem(uri: string): string | undefined {
  const options = parseOptions(uri);
  if (!options) {
    return 'must be a connection string that MongoDB drivers read; a user name and a password must be percent-encoded';
  }
  const refused = new Set<string>();
  for (const [index, [name, value]] of options.entries()) {
    const key = name.toLowerCase();
    if (allowedNames.has(key) || fixedValues.get(key) === value) continue;
    refused.add(describe(knownNames.get(key), fixedValues.get(key), index + 1));
  }
  if (refused.size === 0) return undefined;
  return `must not set ${[...refused].join(', ')}: the service sets durability, reads and timeouts itself`;
}

function describe(name: string | undefined, accepted: string | undefined, position: number): string {
  if (name === undefined) return `option ${position} (not one that the service knows)`;
  return accepted === undefined ? name : `${name} (only ${accepted} is accepted)`;
}

/** The options in the order of the URI, parsed as the driver does; undefined if they cannot be. */
function parseOptions(uri: string): [string, string][] | undefined {
  try {
    return [...new ConnectionString(uri).searchParams.entries()];
  } catch {
    return undefined; // the message may contain the credentials
  }
}

// The kinds of values of environment variables. Each converts a text.

export const MEGABYTE = 1024 * 1024;
const UNITS: Record<string, number> = { '': 1, b: 1, kb: 1024, mb: MEGABYTE };

export const whole = (low: number, high: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${low} to ${high}`)
    .transform(Number)
    .refine((n) => n >= low && n <= high, `must be a whole number from ${low} to ${high}`);

/** A number of bytes, like `100kb`. @param range the range as the message names it */
export const bytes = (low: number, range: string, high = 15 * MEGABYTE) =>
  z.string().transform((text, context) => {
    const match = /^(\d{1,9})\s*(b|kb|mb)?$/i.exec(text);
    const size = match ? Number(match[1]) * (UNITS[(match[2] ?? '').toLowerCase()] ?? 1) : 0;
    if (size >= low && size <= high) return size;
    context.addIssue({ code: 'custom', message: `must be a size ${range}` });
    return z.NEVER;
  });

export const origins = z.string().transform((text, context) => {
  const list = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const origin of list) {
    if (isWebOrigin(origin)) continue;
    context.addIssue({
      code: 'custom',
      message: `has "${origin}": each origin is ${WEB_ORIGIN_FORMAT}`,
    });
    return z.NEVER;
  }
  return list;
});

export const mongodbUri = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s]+$/, {
    message: 'must begin with mongodb:// or mongodb+srv:// and name a host',
    abort: true,
  })
  .superRefine((uri, context) => {
    const problem = connectionStringProblem(uri);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

/** The result of a parser. @param format the expected form as the message names it */
export const parsed = <Value>(parse: (text: string) => Value | undefined, format: string) =>
  z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `must be ${format}` });
    return z.NEVER;
  });

/** The origin of this service. The final slash that browsers add does not count. */
export const publicUrl = parsed((text) => {
  const origin = text.replace(/\/$/, '');
  return isWebOrigin(origin) ? origin : undefined;
}, `the origin of this service: ${WEB_ORIGIN_FORMAT}`);

/** As `trust proxy` of Express, without `true`, which trusts the headers of any client. */
export const trustProxy = z.string().transform((text, context) => {
  if (text === 'off' || text === 'false' || text === '0') return false as const;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const list = text.split(',').map((part) => part.trim());
  if (list.every(isAddressOrRange)) return list;
  context.addIssue({
    code: 'custom',
    message: 'must be off, a number of proxies like 1, or addresses like 10.0.0.0/8,loopback',
  });
  return z.NEVER;
});

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

const MAX_WORKERS = 64;

/** The processes that serve requests. `auto`: one for each core that this process may use. */
const workers = parsed((text) => {
  if (text === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  return /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_WORKERS ? Number(text) : undefined;
}, `auto, or a whole number from 1 to ${MAX_WORKERS}`);

const yesOrNo = z.enum(['true', 'false'], 'must be true or false').default('false');

/** A password that a log-in accepts, with the least length for an administrator. */
export const password = z.string().superRefine((text, context) => {
  const tooShort = text.length < MIN_PASSWORD_LENGTH && `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  const problem = passwordProblem(text) ?? tooShort;
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

/** Invalid configuration: one line for each invalid variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** The variables with their defaults. docs/operations.md, "Configuration", explains them. */
export const environment = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'], 'must be development, production or test')
    .default('development'),
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().default('0.0.0.0'),
  WORKERS: workers.default(1),
  MONGODB_URI: mongodbUri.optional(),
  DATA_DIR: z.string().default('./data'),
  ADMIN_APP_ID: z
    .string()
    .regex(APP_ID_PATTERN, `must be ${APP_ID_FORMAT}`)
    .regex(REACHABLE_APP_ID, UNREACHABLE_APP_ID)
    .default('admin'),
  ADMIN_PASSWORD: password.optional(),
  SESSION_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  SESSION_COOKIE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or hyphens')
    .default('sid'),
  CORS_ORIGINS: origins.default([]),
  TRUST_PROXY: trustProxy.default(false),
  RATE_LIMIT_SUBMIT: whole(0, 1_000_000).optional(),
  RATE_LIMIT_LOGIN: whole(0, 1_000_000).default(20),
  MAX_ARRAY_ITEMS: whole(1, 100_000).default(1000),
  BODY_LIMIT: bytes(1024, 'from 1kb to 15mb, like 100kb').default(100 * 1024),
  RECORD_LIMIT: bytes(256 * 1024, 'from 256kb to 15mb, like 1mb').default(MEGABYTE),
  SMTP_URL: parsed(parseSmtpUrl, SMTP_URL_FORMAT).optional(),
  MAIL_FROM: parsed(parseMailbox, MAILBOX_FORMAT).optional(),
  PUBLIC_URL: publicUrl.optional(),
  IMPORT_LIMIT: bytes(MEGABYTE, 'from 1mb to 4096mb, like 256mb', 4096 * MEGABYTE).default(256 * MEGABYTE),
  IMPORT_APP_LIMIT: bytes(MEGABYTE, 'from 1mb to 65536mb, like 1024mb', 65_536 * MEGABYTE).default(1024 * MEGABYTE),
  WEBHOOKS_ALLOW_PRIVATE: yesOrNo,
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().max(2_000).optional(),
  OIDC_LABEL: z.string().trim().min(1).max(50, 'must have at most 50 characters').default('SSO'),
  OIDC_GROUPS_CLAIM: z.string().max(200).optional(),
  OIDC_ROLE_MAP: roleMap.optional(),
  OIDC_SIGNUP: z.enum(['off', 'mapped'], 'must be off or mapped').default('off'),
  OIDC_ONLY: yesOrNo,
  MONGOMS_SYSTEM_BINARY: z.string().optional(),
  XDG_CACHE_HOME: z.string().optional(),
  PATH: z.string().default(''),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters')
    .optional(),
  MIGRATE_ON_START: z.enum(['true', 'false'], 'must be true or false').default('true'),
  AUDIT_DAYS: whole(1, 3_650).default(400),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
});

export type Config = ReturnType<typeof loadConfig>;

/**
 * Reads the configuration from an environment and freezes it. An empty variable counts as unset.
 *
 * @throws {ConfigError} with one line for each invalid variable
 */
export function loadConfig(env: Record<string, string | undefined>) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const result = environment.safeParse(given);
  const lines = result.success ? [] : result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (given.NODE_ENV === 'production' && given.SESSION_SECRET === undefined) {
    lines.push('SESSION_SECRET is required in production: set it to a long random text, the same on every server');
  }
  if ((given.SMTP_URL === undefined) !== (given.MAIL_FROM === undefined)) {
    const [set, unset] = given.SMTP_URL === undefined ? ['MAIL_FROM', 'SMTP_URL'] : ['SMTP_URL', 'MAIL_FROM'];
    lines.push(`${unset} is required with ${set}: set both to send email, or none`);
  }
  lines.push(...signOnProblems(given));
  if (!result.success || lines.length > 0) throw new ConfigError(lines);

  const value = result.data;
  const production = value.NODE_ENV === 'production';
  return Object.freeze({
    production,
    port: value.PORT,
    host: value.HOST,
    /** The processes that serve requests; 1: the first process serves them itself. */
    workers: value.WORKERS,
    mongodbUri: value.MONGODB_URI,
    dataDir: value.DATA_DIR,
    adminAppId: value.ADMIN_APP_ID,
    adminPassword: value.ADMIN_PASSWORD,
    sessionSecret: value.SESSION_SECRET,
    sessionCookieName: value.SESSION_COOKIE_NAME,
    corsOrigins: Object.freeze(value.CORS_ORIGINS),
    trustProxy: Object.freeze(value.TRUST_PROXY),
    /** Submissions per minute for one app and address; 0 means no limit. */
    rateLimitSubmit: value.RATE_LIMIT_SUBMIT ?? (production ? 600 : 0),
    /** Failed log-ins in 15 minutes per app and address; 3 times that over all apps. 0: no limit */
    rateLimitLogin: value.RATE_LIMIT_LOGIN,
    maxArrayItems: value.MAX_ARRAY_ITEMS,
    /** Maximum size of a request body after decompression, in bytes. */
    bodyLimit: value.BODY_LIMIT,
    /** Maximum size of a stored record, in bytes. */
    recordLimit: value.RECORD_LIMIT,
    /** What `GET /metrics` requires; without it nothing is measured. */
    metricsToken: value.METRICS_TOKEN,
    /** Whether a server runs missing migrations; otherwise it refuses to start without them. */
    migrateOnStart: value.MIGRATE_ON_START === 'true',
    /** How long events of the audit log are kept. */
    auditDays: value.AUDIT_DAYS,
    /** Undefined: the service sends no email. */
    mail:
      value.SMTP_URL &&
      value.MAIL_FROM &&
      Object.freeze({ server: Object.freeze(value.SMTP_URL), from: Object.freeze(value.MAIL_FROM) }),
    /** The origin of the service in links of emails; undefined: they have none. */
    publicUrl: value.PUBLIC_URL,
    /** The largest file of an import, and of all files of an app at the same time, in bytes. */
    importLimits: Object.freeze({ perImport: value.IMPORT_LIMIT, perApp: value.IMPORT_APP_LIMIT }),
    /** Whether webhooks may have private addresses, and addresses with plain HTTP. */
    webhooksAllowPrivate: value.WEBHOOKS_ALLOW_PRIVATE === 'true',
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
    ...{ issuer, clientId, clientSecret: value.OIDC_CLIENT_SECRET, publicUrl: origin },
    ...{ label: value.OIDC_LABEL, groupsClaim: value.OIDC_GROUPS_CLAIM },
    roleMap: Object.freeze(value.OIDC_ROLE_MAP ?? []),
    /** Whether somebody whose groups give a role gets an account. */
    createsAccounts: value.OIDC_SIGNUP === 'mapped',
    /** Whether every other way to log in is refused. */
    only: value.OIDC_ONLY === 'true',
  });
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
