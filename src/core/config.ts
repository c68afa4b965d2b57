import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { APP_ID_FORMAT, APP_ID_PATTERN, REACHABLE_APP_ID, UNREACHABLE_APP_ID } from './app-id.ts';
import {
  bytes,
  MEGABYTE,
  mongodbUri,
  origins,
  parsed,
  password,
  publicUrl,
  trustProxy,
  whole,
} from './config-values.ts';
import { MAILBOX_FORMAT, parseMailbox, parseSmtpUrl, SMTP_URL_FORMAT } from './smtp-url.ts';

/** Invalid configuration: one line for each invalid variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

const environment = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'], 'must be development, production or test')
    .default('development'),
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().default('0.0.0.0'),
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
  WEBHOOKS_ALLOW_PRIVATE: z.enum(['true', 'false'], 'must be true or false').default('false'),
  MONGOMS_SYSTEM_BINARY: z.string().optional(),
  XDG_CACHE_HOME: z.string().optional(),
  PATH: z.string().default(''),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters')
    .optional(),
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
 * Reads the configuration (README.md, "Configuration") from an environment and freezes it. An empty
 * variable counts as unset. Only the entry points pass `process.env`, so tests can create a server
 * from a plain object.
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
  if (!result.success || lines.length > 0) throw new ConfigError(lines);

  const value = result.data;
  const production = value.NODE_ENV === 'production';
  return Object.freeze({
    production,
    port: value.PORT,
    host: value.HOST,
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
    /**
     * Failed log-ins in 15 minutes for one app and address, and three times as many for one address
     * over all apps; 0 means no limit.
     */
    rateLimitLogin: value.RATE_LIMIT_LOGIN,
    maxArrayItems: value.MAX_ARRAY_ITEMS,
    /** Maximum size of a request body after decompression, in bytes. */
    bodyLimit: value.BODY_LIMIT,
    /** Maximum size of a stored record, in bytes. */
    recordLimit: value.RECORD_LIMIT,
    /** What `GET /metrics` requires; without it nothing is measured. */
    metricsToken: value.METRICS_TOKEN,
    /** How long events of the audit log are kept. */
    auditDays: value.AUDIT_DAYS,
    /** How to send email; undefined: the service sends none. */
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
    logLevel: value.LOG_LEVEL,
    /** Where to find a mongod for the embedded database. */
    mongod: Object.freeze({
      binary: value.MONGOMS_SYSTEM_BINARY,
      searchPath: Object.freeze(value.PATH.split(delimiter).filter((folder) => folder !== '')),
      cacheDir: join(value.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'user-collection-service'),
    }),
  });
}
