import { ConnectionString } from 'mongodb-connection-string-url';

/** Options with one accepted value. Every other value weakens a guarantee, or is overridden by `connectDatabase`. */
const FIXED = new Map([
  ['w', 'majority'],
  ['journal', 'true'],
  ['j', 'true'],
  ['retryWrites', 'true'],
  ['retryReads', 'true'],
  ['readPreference', 'primary'],
  // Behind a load balancer the driver does not learn which member is primary (primary-watch.ts).
  ['loadBalanced', 'false'],
]);

/** Options that say where the database is, how to authenticate, how to encrypt, and how many connections to open. */
const ALLOWED = [
  ...['authSource', 'authMechanism', 'authMechanismProperties'],
  ...['appName', 'directConnection', 'replicaSet', 'srvMaxHosts', 'srvServiceName', 'srvAllowedHostsSuffix'],
  ...['tls', 'ssl', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames', 'tlsCAFile', 'tlsCRLFile'],
  ...['tlsCertificateKeyFile', 'tlsCertificateKeyFilePassword', 'tlsInsecure'],
  ...['compressors', 'zlibCompressionLevel', 'proxyHost', 'proxyPort', 'proxyUsername', 'proxyPassword'],
  ...['maxPoolSize', 'minPoolSize', 'maxConnecting', 'maxIdleTimeMS', 'localThresholdMS', 'serverMonitoringMode'],
];

/** Known options that no value makes acceptable. They are listed only so that the message can name them. */
const REFUSED = [
  // How long a write is waited for, and how reads are served: `connectDatabase` and the request deadline decide.
  ...['wtimeout', 'wtimeoutMS', 'fsync', 'safe', 'writeConcern'],
  ...['readConcern', 'readConcernLevel', 'readPreferenceTags', 'maxStalenessSeconds', 'hedge', 'slaveOk'],
  // Overridden by `connectDatabase`, or ignored by the driver.
  ...['connectTimeoutMS', 'socketTimeoutMS', 'serverSelectionTimeoutMS', 'waitQueueTimeoutMS', 'timeoutMS'],
  ...['heartbeatFrequencyMS', 'minHeartbeatFrequencyMS', 'maxAdaptiveRetries', 'enableOverloadRetargeting'],
  ...['dbName', 'autoIndex', 'autoCreate', 'bufferCommands'],
  // How values are read and written; the code relies on the defaults.
  ...['raw', 'fieldsAsRaw', 'promoteValues', 'promoteLongs', 'promoteBuffers', 'useBigInt64', 'bsonRegExp'],
  ...['ignoreUndefined', 'serializeFunctions', 'checkKeys', 'forceServerObjectId', 'enableUtf8Validation', 'pkFactory'],
  // Would write commands, and with them records, to the output.
  ...['monitorCommands', 'mongodbLogPath', 'mongodbLogComponentSeverities', 'mongodbLogMaxDocumentLength'],
];

const fixedValues = new Map([...FIXED].map(([name, value]) => [name.toLowerCase(), value]));
const allowedNames = new Set(ALLOWED.map((name) => name.toLowerCase()));
const knownNames = new Map([...FIXED.keys(), ...REFUSED].map((name) => [name.toLowerCase(), name]));

/**
 * Checks the options of a MongoDB connection string against what the service guarantees.
 *
 * Option names count in any case, each occurrence counts, and percent-encoding is decoded. Only options known to be
 * harmless pass. The result names options and never repeats a value or an unknown name: with a password that is not
 * escaped, either may be a part of it.
 *
 * @param uri begins with `mongodb://` or `mongodb+srv://`
 * @returns why the connection string is refused, in one line that begins with `must`, or undefined
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

/** Name and value of each option in the order of the URI, as the driver itself parses them; undefined if it cannot. */
function parseOptions(uri: string): [string, string][] | undefined {
  try {
    return [...new ConnectionString(uri).searchParams.entries()];
  } catch {
    return undefined; // the message may quote the credentials
  }
}
