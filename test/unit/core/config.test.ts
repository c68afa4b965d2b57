import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/platform/core/config.ts';

const secret = { SESSION_SECRET: 'a secret of sixteen or more' };

/** Returns the error lines of the configuration for this environment; throws when it is valid. */
function errorLines(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  throw new Error(`${JSON.stringify(env)} was accepted`);
}

describe('the configuration without variables', () => {
  it('has the defaults of docs/operations.md, "Configuration"', () => {
    expect(loadConfig({})).toEqual({
      production: false,
      port: 3000,
      host: '0.0.0.0',
      workers: 1,
      migrateOnStart: true,
      mongodbUri: undefined,
      dataDir: './data',
      adminAppId: 'admin',
      adminPassword: undefined,
      sessionSecret: undefined,
      sessionCookieName: 'sid',
      corsOrigins: [],
      trustProxy: false,
      rateLimitSubmit: 0,
      rateLimitLogin: 20,
      maxArrayItems: 1000,
      bodyLimit: 102_400,
      recordLimit: 1_048_576,
      metricsToken: undefined,
      mcp: false,
      auditDays: 400,
      mail: undefined,
      publicUrl: undefined,
      importLimits: { perImport: 268_435_456, perApp: 1_073_741_824 },
      fileLimits: { perFile: 10_000_000, perApp: 1_000_000_000 },
      filesBucket: undefined,
      clamd: undefined,
      webhooksAllowPrivate: false,
      captchaUrls: {
        turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
        hcaptcha: 'https://api.hcaptcha.com/siteverify',
        recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
        friendly: 'https://global.frcapi.com/api/v2/captcha/siteverify',
      },
      logLevel: 'info',
      mongod: {
        binary: undefined,
        searchPath: [],
        cacheDir: join(homedir(), '.cache', 'user-collection-service'),
      },
    });
  });

  it('replaces the addresses of providers of challenges by CAPTCHA_URLS', () => {
    const local = 'http://127.0.0.1:9999/siteverify';
    const { captchaUrls } = loadConfig({ CAPTCHA_URLS: JSON.stringify({ turnstile: local }) });
    expect(captchaUrls).toEqual({ ...loadConfig({}).captchaUrls, turnstile: local });
    for (const text of ['x', '[]', '{"other":"https://x.example"}', '{"turnstile":"http://x.example"}']) {
      const [line] = errorLines({ CAPTCHA_URLS: text });
      expect(line).toMatch(/^CAPTCHA_URLS must be a JSON object with https: URLs/);
    }
  });

  it('treats an empty variable as unset', () => {
    const names = ['PORT', 'HOST', 'MONGODB_URI', 'ADMIN_PASSWORD', 'SESSION_SECRET', 'CORS_ORIGINS', 'NODE_ENV'];
    const more = [
      'SMTP_URL',
      'MAIL_FROM',
      'PUBLIC_URL',
      'TRUST_PROXY',
      'RATE_LIMIT_SUBMIT',
      'BODY_LIMIT',
      'LOG_LEVEL',
      'MONGOMS_SYSTEM_BINARY',
      'DATA_DIR',
    ];
    expect(loadConfig(Object.fromEntries([...names, ...more].map((name) => [name, ''])))).toEqual(loadConfig({}));
  });

  it('ignores unknown variables', () => {
    expect(loadConfig({ PORTS: 'x', HOME: '/', UNSET: undefined })).toEqual(loadConfig({}));
  });
});

describe('a valid variable', () => {
  it.each<[Record<string, string>, object]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65_535 }],
    [{ HOST: '::1' }, { host: '::1' }],
    [{ MONGODB_URI: 'mongodb://db.internal:27017/users' }, { mongodbUri: 'mongodb://db.internal:27017/users' }],
    [{ MONGODB_URI: 'mongodb+srv://u:p@cluster.example.net' }, { mongodbUri: 'mongodb+srv://u:p@cluster.example.net' }],
    [{ DATA_DIR: '/var/lib/users' }, { dataDir: '/var/lib/users' }],
    [{ ADMIN_APP_ID: 'head.office-1_2' }, { adminAppId: 'head.office-1_2' }],
    [{ ADMIN_PASSWORD: 'x'.repeat(12) }, { adminPassword: 'x'.repeat(12) }],
    [{ ADMIN_PASSWORD: 'é'.repeat(36) }, { adminPassword: 'é'.repeat(36) }],
    [secret, { sessionSecret: secret.SESSION_SECRET }],
    [{ SESSION_COOKIE_NAME: 'user_session-1' }, { sessionCookieName: 'user_session-1' }],
    [
      { CORS_ORIGINS: ' https://a.example , http://localhost:5173,capacitor://localhost,app://Id:80' },
      { corsOrigins: ['https://a.example', 'http://localhost:5173', 'capacitor://localhost', 'app://Id:80'] },
    ],
    [{ TRUST_PROXY: 'off' }, { trustProxy: false }],
    [{ TRUST_PROXY: '0' }, { trustProxy: false }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8' }, { trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8'] }],
    [{ RATE_LIMIT_SUBMIT: '5' }, { rateLimitSubmit: 5 }],
    [{ RATE_LIMIT_LOGIN: '0' }, { rateLimitLogin: 0 }],
    [{ MAX_ARRAY_ITEMS: '1' }, { maxArrayItems: 1 }],
    [{ BODY_LIMIT: '2048' }, { bodyLimit: 2048 }],
    [{ BODY_LIMIT: '15MB' }, { bodyLimit: 15 * 1024 * 1024 }],
    [{ RECORD_LIMIT: '256kb' }, { recordLimit: 256 * 1024 }],
    [
      { SMTP_URL: 'smtps://u:p@mail.example.com', MAIL_FROM: 'Forms <forms@example.com>' },
      { mail: { server: { host: 'mail.example.com', port: 465 }, from: { name: 'Forms' } }, publicUrl: undefined },
    ],
    [{ PUBLIC_URL: 'https://forms.example.com/' }, { publicUrl: 'https://forms.example.com', mail: undefined }],
    [{ PUBLIC_URL: 'http://localhost:3000' }, { publicUrl: 'http://localhost:3000' }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [
      { NODE_ENV: 'production', ...secret },
      { production: true, rateLimitSubmit: 600 },
    ],
    [{ NODE_ENV: 'production', RATE_LIMIT_SUBMIT: '0', ...secret }, { rateLimitSubmit: 0 }],
    [{ NODE_ENV: 'test' }, { production: false, rateLimitSubmit: 0 }],
    [
      { MONGOMS_SYSTEM_BINARY: '/opt/mongod', XDG_CACHE_HOME: '/cache', PATH: '/bin:/usr/bin' },
      {
        mongod: {
          binary: '/opt/mongod',
          searchPath: ['/bin', '/usr/bin'],
          cacheDir: '/cache/user-collection-service',
        },
      },
    ],
  ])('%j gives %j', (env, expected) => {
    expect(loadConfig(env)).toMatchObject(expected);
  });
});

describe('a malformed variable', () => {
  it.each([
    ...['x', '-1', '1.5', '65536', ' 3000', '0x10', '1e3'].map((value) => ['PORT', value]),
    ...['localhost', 'http://db:27017', 'mongodb://', 'mongodb://a b'].map((value) => ['MONGODB_URI', value]),
    ...['a b', 'a/b', 'a'.repeat(81), '.', '..'].map((value) => ['ADMIN_APP_ID', value]),
    ...['é'.repeat(37), 'a\0b', 'short', 'x'.repeat(11), 'elevenchar\0'].map((value) => ['ADMIN_PASSWORD', value]),
    ['SESSION_SECRET', 'fifteen letters'],
    ...['a b', 'a;b', 'é', 'a'.repeat(65), '__Host-sid', '__secure-sid'].map((value) => ['SESSION_COOKIE_NAME', value]),
    ...[
      '*',
      'null',
      'forms.example.com',
      'https://forms.example.com/',
      'https://forms.example.com/path',
      'https://Forms.example.com',
      'https://forms.example.com:443',
      'https://u:p@forms.example.com',
      'https://*.example.com',
      'ftp://forms.example.com',
      'file://localhost',
      'data://localhost',
      'javascript://localhost',
      'blob://localhost',
      'capacitor://localhost/',
      'capacitor://',
      'capacitor:localhost',
      'Capacitor://localhost',
      'capacitor://u@localhost',
      'https://a.example https://b.example',
      'https://a.example,nonsense',
    ].map((value) => ['CORS_ORIGINS', value]),
    ...['true', 'yes', '-1', '100', 'abc', '10.0.0.0/33', '10.0.0', '::1/129', '10.0.0.0/8/8', '10.0.0.0/', '1,'].map(
      (value) => ['TRUST_PROXY', value],
    ),
    ...['many', '-1', '1000001'].map((value) => ['RATE_LIMIT_SUBMIT', value]),
    ...['many', '-1', '0.5'].map((value) => ['RATE_LIMIT_LOGIN', value]),
    ...['0', '3651', 'ever'].map((value) => ['AUDIT_DAYS', value]),
    ...['short', 'with a space in the middle', 'x'.repeat(201)].map((value) => ['METRICS_TOKEN', value]),
    ...['0', '100001', 'all'].map((value) => ['MAX_ARRAY_ITEMS', value]),
    ...['1023', '16mb', '1.5mb', '100 apples', '-1kb'].map((value) => ['BODY_LIMIT', value]),
    ...['255kb', '16mb', '0'].map((value) => ['RECORD_LIMIT', value]),
    ...[
      'forms.example.com',
      'https://a.example/path',
      'https://a.example//',
      'https://u:p@a.example',
      'ftp://a.example',
    ].map((value) => ['PUBLIC_URL', value]),
    ...['verbose', 'INFO'].map((value) => ['LOG_LEVEL', value]),
    ...['prod', 'Production'].map((value) => ['NODE_ENV', value]),
  ] as [string, string][])('%s=%j is reported in one line that starts with its name', (name, value) => {
    const lines = errorLines({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name} (must|has) `));
    expect(lines[0]).not.toContain('\n');
  });

  it.each([
    ['OIDC_LABEL', ' ', 50],
    ['OIDC_CLIENT_ID', 'x'.repeat(501), 500],
    ['OIDC_GROUPS_CLAIM', ' ', 200],
  ])('%s=%j is reported with its most characters', (name, value, most) => {
    const needed = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'a', PUBLIC_URL: 'https://a.example' };
    expect(errorLines({ ...needed, [name]: value })).toEqual([`${name} must have 1 to ${most} characters`]);
  });

  it('is reported together with all others, one line each', () => {
    const lines = errorLines({ PORT: 'x', BODY_LIMIT: 'y', LOG_LEVEL: 'z', NODE_ENV: 'production' });
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual([
      'BODY_LIMIT',
      'LOG_LEVEL',
      'PORT',
      'SESSION_SECRET',
    ]);
  });

  it.each<[Record<string, string>, string]>([
    [{ ADMIN_PASSWORD: 'x'.repeat(11) }, 'ADMIN_PASSWORD must have at least 12 characters'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535'],
    [{ NODE_ENV: 'staging' }, 'NODE_ENV must be'],
    [{ RATE_LIMIT_LOGIN: '-1' }, 'RATE_LIMIT_LOGIN must be'],
  ])('%j is reported with what it may be', (env, line) => {
    expect(errorLines(env)).toEqual([expect.stringContaining(line)]);
  });

  it('is reported without the value of a secret', () => {
    const env = { ADMIN_PASSWORD: `hush${'x'.repeat(80)}`, SESSION_SECRET: 'hush', MONGODB_URI: 'http://u:hush@h' };
    expect(errorLines(env)).toHaveLength(3);
    expect(errorLines(env).join('\n')).not.toContain('hush');
  });

  it('is reported with the malformed origin', () => {
    expect(errorLines({ CORS_ORIGINS: 'https://a.example,b.example' })[0]).toContain('"b.example"');
  });
});

describe('the configuration of production', () => {
  it.each([{}, { SESSION_SECRET: '' }])('requires SESSION_SECRET (%j)', (env) => {
    expect(errorLines({ NODE_ENV: 'production', ...env })).toEqual([
      'SESSION_SECRET is required in production: set it to a long random text, the same on every server',
    ]);
  });
});

it('returns a deeply frozen configuration', () => {
  const config = loadConfig({ CORS_ORIGINS: 'https://a.example', TRUST_PROXY: 'loopback', PATH: '/bin' });
  const parts = [config, config.corsOrigins, config.trustProxy, config.mongod, config.mongod.searchPath];
  expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true, true, true]);
});

it('refuses a file that is larger than all files of an app may be', () => {
  expect(errorLines({ FILES_APP_LIMIT: '9999999' })).toEqual(['FILE_LIMIT must be at most FILES_APP_LIMIT']);
  expect(errorLines({ IMPORT_LIMIT: '1025mb' })).toEqual(['IMPORT_LIMIT must be at most IMPORT_APP_LIMIT']);
  expect(loadConfig({ FILES_APP_LIMIT: '10000000', IMPORT_LIMIT: '1024mb' })).toBeDefined();
});

describe('the variables of email', () => {
  it('are set both, or none, and errors do not repeat the password', () => {
    const from = { MAIL_FROM: 'forms@example.com' };
    expect(errorLines(from)).toEqual(['SMTP_URL is required with MAIL_FROM: set both to send email, or none']);
    expect(errorLines({ SMTP_URL: 'smtp://mail.example.com' })).toEqual([
      'MAIL_FROM is required with SMTP_URL: set both to send email, or none',
    ]);
    const [line, ...others] = errorLines({ ...from, SMTP_URL: 'smtp://ada:s3cret@mail.example.com?pool=true' });
    expect(line).toMatch(/^SMTP_URL must be smtp:\/\/host/);
    expect(line).not.toContain('s3cret');
    expect(others).toEqual([]);
    expect(errorLines({ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'Forms' })).toEqual([
      expect.stringMatching(/^MAIL_FROM must be an email address/),
    ]);
  });
});
