import type { environment } from './config.ts';

/** A variable of the operating system is not a setting. */
export type SettingName = Exclude<keyof typeof environment.shape, 'PATH'>;

interface Setting {
  /** What it sets, as a line of help. */
  help: string;
  /** The default as a value of the variable; without it, `help` says what happens. */
  standard?: string;
  /** Whether the value, or a part of it, is a secret. */
  isSecret?: true;
}

/** The settings in words, for the help of the command line. config.ts declares their values. */
export const SETTINGS: Record<SettingName, Setting> = {
  NODE_ENV: {
    help: 'production: Secure cookies, a limit on submissions, and SESSION_SECRET is required',
    standard: 'development',
  },
  PORT: { help: 'port to listen on; 0: a free one', standard: '3000' },
  HOST: { help: 'address to listen on', standard: '0.0.0.0' },
  WORKERS: { help: 'processes that serve requests; auto: one for each core', standard: '1' },
  MONGODB_URI: { help: 'database; without it, an embedded one in DATA_DIR', isSecret: true },
  DATA_DIR: { help: 'folder of the embedded database and of the generated session secret', standard: './data' },
  ADMIN_APP_ID: { help: 'id of the first admin app', standard: 'admin' },
  ADMIN_PASSWORD: { help: 'password of the first admin app; without it, one is generated and printed', isSecret: true },
  SESSION_SECRET: {
    help: 'signs session cookies, the same on every server; without it, one is kept in DATA_DIR',
    isSecret: true,
  },
  SESSION_COOKIE_NAME: { help: 'name of the session cookie', standard: 'sid' },
  CORS_ORIGINS: { help: 'browser origins that may send requests, separated by commas; without it, none' },
  TRUST_PROXY: { help: 'number of reverse proxies, or their addresses', standard: 'off' },
  RATE_LIMIT_SUBMIT: {
    help: 'submissions per minute for one app and network; 0: no limit; without it, 600 in production and 0 elsewhere',
  },
  RATE_LIMIT_LOGIN: {
    help: 'failed log-ins in 15 minutes for one app and network; 0: no limit',
    standard: '20',
  },
  MAX_ARRAY_ITEMS: { help: 'most items in an array field of a record', standard: '1000' },
  BODY_LIMIT: { help: 'largest request body after decompression', standard: '100kb' },
  RECORD_LIMIT: { help: 'largest stored record', standard: '1mb' },
  SMTP_URL: { help: 'SMTP server, set together with MAIL_FROM; without it, no email is sent', isSecret: true },
  MAIL_FROM: { help: 'sender of emails, like Forms <forms@example.com>, set together with SMTP_URL' },
  PUBLIC_URL: { help: 'origin of this service in links of emails, like https://forms.example.com' },
  IMPORT_LIMIT: { help: 'largest file of an import', standard: '256mb' },
  IMPORT_APP_LIMIT: { help: 'files of all unfinished imports of an app together', standard: '1024mb' },
  WEBHOOKS_ALLOW_PRIVATE: { help: 'true: webhooks may have private addresses and plain HTTP', standard: 'false' },
  OIDC_ISSUER: { help: 'provider of single sign-on; without it, there is none' },
  OIDC_CLIENT_ID: { help: 'id of this service at the provider' },
  OIDC_CLIENT_SECRET: { help: 'secret of a confidential client', isSecret: true },
  OIDC_LABEL: { help: 'name of the provider on the log-in page', standard: 'SSO' },
  OIDC_GROUPS_CLAIM: { help: 'claim with the groups of an account' },
  OIDC_ROLE_MAP: { help: 'what groups give, as JSON' },
  OIDC_SIGNUP: { help: 'mapped: somebody whose groups give a role gets an account', standard: 'off' },
  OIDC_ONLY: { help: 'true: single sign-on is the only way to log in', standard: 'false' },
  MONGOMS_SYSTEM_BINARY: { help: 'mongod of the embedded database; without it, one is found or downloaded' },
  XDG_CACHE_HOME: { help: 'folder for a downloaded mongod; without it, ~/.cache' },
  METRICS_TOKEN: { help: 'token that GET /metrics requires; without it, there are no metrics', isSecret: true },
  MIGRATE_ON_START: { help: 'false: a server does not start when stored data must be migrated', standard: 'true' },
  AUDIT_DAYS: { help: 'days for which the audit log keeps an event', standard: '400' },
  LOG_LEVEL: { help: 'trace, debug, info, warn, error, fatal or silent', standard: 'info' },
};
