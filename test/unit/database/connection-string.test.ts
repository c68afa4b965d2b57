import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/platform/core/config.ts';
import { connectionStringProblem } from '../../../src/platform/core/mongodb-uri.ts';

const host = 'mongodb://db.internal:27017/forms';

/** Returns the error lines of the configuration; empty when `uri` is accepted. */
function errorLines(uri: string): readonly string[] {
  try {
    loadConfig({ MONGODB_URI: uri });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
}

describe('the connection string cannot weaken durability (invariant 1)', () => {
  it.each([
    ['?w=1', 'w (only majority is accepted)'],
    ['?w=0', 'w (only majority is accepted)'],
    ['?w=', 'w (only majority is accepted)'],
    ['?w=Majority', 'w (only majority is accepted)'],
    ['?journal=false', 'journal (only true is accepted)'],
    ['?JOURNAL=false', 'journal (only true is accepted)'],
    ['?j=false', 'j (only true is accepted)'],
    ['?%6a=false', 'j (only true is accepted)'],
    ['?journal=%66alse', 'journal (only true is accepted)'],
    ['?retryWrites=false', 'retryWrites (only true is accepted)'],
    ['?retryReads=false', 'retryReads (only true is accepted)'],
    ['?readPreference=secondary', 'readPreference (only primary is accepted)'],
    ['?readPreference=primaryPreferred', 'readPreference (only primary is accepted)'],
    ['?loadBalanced=true', 'loadBalanced (only false is accepted)'],
    ...[
      'wtimeout=1',
      'wtimeoutMS=1',
      'fsync=true',
      'safe=true',
      'readConcernLevel=majority',
      'maxStalenessSeconds=90',
      'readPreferenceTags=dc:east',
      'socketTimeoutMS=0',
      'timeoutMS=1',
      'serverSelectionTimeoutMS=60000',
      'waitQueueTimeoutMS=1',
      'connectTimeoutMS=1',
      'heartbeatFrequencyMS=60000',
      'dbName=other',
      'promoteValues=false',
      'raw=true',
      'mongodbLogPath=stdout',
    ].map((option) => [`?${option}`, option.slice(0, option.indexOf('='))]),
  ])('refuses %s in one line that names the option', (query, named) => {
    expect(errorLines(host + query)).toEqual([
      `MONGODB_URI must not set ${named}: the service sets durability, reads and timeouts itself`,
    ]);
  });

  it('names every refused option once, at any position', () => {
    expect(connectionStringProblem(`${host}?w=1&appName=x&journal=true&W=2&Journal=false&wTimeoutMS=1`)).toBe(
      'must not set w (only majority is accepted), journal (only true is accepted), wtimeoutMS: the service sets durability, reads and timeouts itself',
    );
  });

  it.each([
    ['?journal=true&journal=false', 'journal'],
    ['?journal=false&journal=true', 'journal'],
    ['?Journal=false&journal=true', 'journal'],
    ['?readPreference=primary&readpreference=nearest', 'readPreference'],
  ])('checks each occurrence of a repeated option: %s', (query, named) => {
    expect(connectionStringProblem(host + query)).toContain(`must not set ${named} `);
  });

  it.each([
    'mongodb://db.internal:27017/forms',
    'mongodb://a:1,b:2,[::1]:3/forms?replicaSet=rs0',
    'mongodb://127.0.0.1:27017/?directConnection=true',
    'mongodb+srv://user:p%40ss@cluster0.abcde.mongodb.net/?retryWrites=true&w=majority&appName=Cluster0',
    'mongodb://u:p@h/forms?authSource=admin&authMechanism=SCRAM-SHA-256&tls=true&tlsCAFile=/etc/ca.pem&w=majority&journal=true',
    'mongodb://h/?J=true&readPreference=primary&compressors=zlib&maxPoolSize=50&loadBalanced=false',
    'mongodb://__system:0a1b@127.0.0.1:1/user-collection?authSource=local&authMechanism=SCRAM-SHA-256&directConnection=true',
  ])('accepts %s', (uri) => {
    expect(loadConfig({ MONGODB_URI: uri }).mongodbUri).toBe(uri);
  });

  it('accepts or refuses by name every option of the driver', () => {
    const driver = createRequire(import.meta.url)
      .resolve('mongodb')
      .replace(/node_modules.*$/, 'node_modules/mongodb');
    const source = readFileSync(`${driver}/lib/connection_string.js`, 'utf8');
    const table = source.slice(source.indexOf('exports.OPTIONS = {'), source.indexOf('// Custom types for modifying'));
    const names = [...table.matchAll(/^ {4}(\w+): \{/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(70);
    // Options that only code can pass to the driver. In a URI they are refused without a name.
    const codeOnly = ['auth', 'autoEncryption', 'autoSelectFamily', 'autoSelectFamilyAttemptTimeout', 'driverInfo'];
    codeOnly.push('family', 'minInternalBufferSize', 'name', 'noDelay', 'runtimeAdapters', 'serverApi', 'servername');
    codeOnly.push('srvHostValidator');
    const unnamed = names.filter((name) => connectionStringProblem(`${host}?${name}=x`)?.includes('option 1'));
    expect(unnamed.sort()).toEqual(codeOnly.sort());
  });
});

describe('the database in the connection string', () => {
  it.each(['admin', 'config', 'local', 'Local', 'a.b', 'a%20b', 'a%24b', 'a%2Fb', 'x'.repeat(64), 'ä'.repeat(32)])(
    'is not %s: MongoDB uses it, does not replicate it or refuses it',
    (name) => {
      const refusal =
        /^MONGODB_URI must name a database other than admin, config and local \(that of the user is authSource\)/;
      expect(errorLines(`mongodb://db.internal/${name}?w=majority`)).toEqual([expect.stringMatching(refusal)]);
    },
  );

  it.each(['', 'forms', 'admin-2', 'x'.repeat(63)])('may be "%s"', (name) => {
    expect(errorLines(`mongodb://db.internal/${name}`)).toEqual([]);
  });
});

describe('the error message', () => {
  it.each([
    'mongodb://service:hidden/wo@rd@127.0.0.1:1/forms',
    'mongodb://ser:vice:hidden@h/forms',
    'mongodb://service:hid%zzden@h/forms',
    'mongodb+srv://service:hidden@a.example,b.example/',
    'mongodb+srv://service:hidden@a.example:27017/',
  ])('reports that %s cannot be parsed, and contains no part of it', (uri) => {
    expect(errorLines(uri)).toEqual([
      'MONGODB_URI must be a connection string that MongoDB drivers read; a user name and a password must be percent-encoded',
    ]);
  });

  it('does not repeat a text that may be part of an unescaped password', () => {
    const uris = [
      'mongodb://u:p@ss/w?hidden=word@h/db?w=1',
      'mongodb://h/?authMechanismProperties=TOKEN:a&hidden=word',
    ];
    for (const line of uris.flatMap(errorLines)) expect(line).not.toMatch(/hidden|word/);
    expect(errorLines(uris[1] ?? '')[0]).toContain('must not set option 2 (not one that the service knows)');
  });
});
