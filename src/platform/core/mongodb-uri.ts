import { ConnectionString } from 'mongodb-connection-string-url';

/** Options with a single accepted value: others weaken a guarantee or have no effect. */
const FIXED = new Map([
  ['w', 'majority'],
  ['journal', 'true'],
  ['j', 'true'],
  ['retryWrites', 'true'],
  ['retryReads', 'true'],
  ['readPreference', 'primary'],
  // Behind a load balancer the driver does not learn which member is primary (client.ts).
  ['loadBalanced', 'false'],
]);

/** Options for the address of the database, authentication, encryption and the connection pool. */
const ALLOWED = [
  'authSource',
  'authMechanism',
  'authMechanismProperties',
  'appName',
  'directConnection',
  'replicaSet',
  'srvMaxHosts',
  'srvServiceName',
  'srvAllowedHostsSuffix',
  'tls',
  'ssl',
  'tlsAllowInvalidCertificates',
  'tlsAllowInvalidHostnames',
  'tlsCAFile',
  'tlsCRLFile',
  'tlsCertificateKeyFile',
  'tlsCertificateKeyFilePassword',
  'tlsInsecure',
  'compressors',
  'zlibCompressionLevel',
  'proxyHost',
  'proxyPort',
  'proxyUsername',
  'proxyPassword',
  'maxPoolSize',
  'minPoolSize',
  'maxConnecting',
  'maxIdleTimeMS',
  'localThresholdMS',
  'serverMonitoringMode',
];

/** Known options that are always refused. They are listed so that the message can name them. */
const REFUSED = [
  // Write timeouts and read behaviour: set by `connectDatabase` and the request deadline.
  'wtimeout',
  'wtimeoutMS',
  'fsync',
  'safe',
  'writeConcern',
  'readConcern',
  'readConcernLevel',
  'readPreferenceTags',
  'maxStalenessSeconds',
  'hedge',
  'slaveOk',
  // Overridden by `connectDatabase`, or ignored by the driver.
  'connectTimeoutMS',
  'socketTimeoutMS',
  'serverSelectionTimeoutMS',
  'waitQueueTimeoutMS',
  'timeoutMS',
  'heartbeatFrequencyMS',
  'minHeartbeatFrequencyMS',
  'maxAdaptiveRetries',
  'enableOverloadRetargeting',
  'dbName',
  'autoIndex',
  'autoCreate',
  'bufferCommands',
  // How values are encoded and decoded; the code relies on the defaults.
  'raw',
  'fieldsAsRaw',
  'promoteValues',
  'promoteLongs',
  'promoteBuffers',
  'useBigInt64',
  'bsonRegExp',
  'ignoreUndefined',
  'serializeFunctions',
  'checkKeys',
  'forceServerObjectId',
  'enableUtf8Validation',
  'pkFactory',
  // These write commands, and with them records, to the output.
  'monitorCommands',
  'mongodbLogPath',
  'mongodbLogComponentSeverities',
  'mongodbLogMaxDocumentLength',
];

const fixedValues = new Map([...FIXED].map(([name, value]) => [name.toLowerCase(), value]));
const allowedNames = new Set(ALLOWED.map((name) => name.toLowerCase()));
const knownNames = new Map([...FIXED.keys(), ...REFUSED].map((name) => [name.toLowerCase(), name]));

/** Members of a replica set do not share `local`, and MongoDB uses all three. */
const OWN_DATABASES = ['admin', 'config', 'local'];
const MAX_NAME_BYTES = 63;
const DATABASE_FORMAT =
  'must name a database other than admin, config and local (that of the user is authSource), of at most 63 bytes and without spaces or any of /\\."$*<>:|?';

function isDatabaseName(name: string): boolean {
  if (OWN_DATABASES.includes(name.toLowerCase()) || /[\s\p{Cc}/\\."$*<>:|?]/u.test(name)) return false;
  return Buffer.byteLength(name) <= MAX_NAME_BYTES;
}

/**
 * Checks a MongoDB connection string: its database, and its options against the guarantees of the
 * service.
 *
 * Option names are case-insensitive and every occurrence counts. Only options known to be harmless
 * are accepted. The result never contains a value or an unknown name, because either may be part of
 * an unescaped password.
 *
 * @param uri begins with `mongodb://` or `mongodb+srv://`
 * @returns the reason for a refusal, one line that begins with `must`, or undefined
 */
export function connectionStringProblem(uri: string): string | undefined {
  const parsed = parse(uri);
  if (!parsed) {
    return 'must be a connection string that MongoDB drivers read; a user name and a password must be percent-encoded';
  }
  if (!isDatabaseName(parsed.database)) return DATABASE_FORMAT;
  const refused = new Set<string>();
  for (const [index, [name, value]] of parsed.options.entries()) {
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

/**
 * The name of the database, empty if there is none, and the options in their order, as the driver
 * reads them; undefined if it cannot.
 */
function parse(uri: string): { database: string; options: [string, string][] } | undefined {
  try {
    const { pathname, searchParams } = new ConnectionString(uri);
    return { database: decodeURIComponent(pathname.slice(1)), options: [...searchParams.entries()] };
  } catch {
    return undefined; // the message may contain the credentials
  }
}
