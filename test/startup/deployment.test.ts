import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SERVER_FLAGS } from '../../src/operations/cli/serve-command.ts';
import { loadConfig } from '../../src/platform/core/config.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const known = [...read('src/platform/core/config.ts').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name);
const compose = parse(read('docker-compose.yml'), { merge: true });
const { service, mongodb, initiate } = compose.services;
/** What docker-compose.yml needs from .env. */
const REQUIRED = {
  SESSION_SECRET: 'a secret of the deployment test',
  MONGODB_KEY: '0123456789abcdef',
  MONGODB_PASSWORD: 'fedcba9876543210',
};

const uri = service.environment.MONGODB_URI.replace(/\$\{MONGODB_PASSWORD:\?.+?\}/, REQUIRED.MONGODB_PASSWORD);

/** The commands with which a container starts. */
const startOf = ({ command }: { command: string[] }) => command.at(-1);

/** Whether docker compose is installed. The title of the test says which check ran. */
const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;

describe('docker-compose.yml', () => {
  it('starts the service after the replica set has a primary, with a data volume', () => {
    expect(service.build).toBe('.');
    const afterInitiation = { initiate: { condition: 'service_completed_successfully' } };
    expect(service.depends_on).toEqual(afterInitiation);
    expect(compose.services.tools.depends_on).toEqual(afterInitiation);
    expect(initiate.depends_on).toEqual(['mongodb']);
    expect(mongodb.volumes).toEqual(['mongodb:/data/db']);
    expect(Object.keys(compose.volumes)).toEqual(['mongodb']);
  });

  it('checks the health of MongoDB by a connection, which costs and logs nothing', () => {
    expect(mongodb.healthcheck.test).toEqual(['CMD', 'bash', '-c', 'exec 3<> /dev/tcp/127.0.0.1/27017']);
    const others = Object.keys(compose.services).filter((name) => name !== 'mongodb');
    for (const name of others) expect(compose.services[name].healthcheck).toBeUndefined();
    expect(startOf(mongodb)).toMatch(/ --quiet$/);
  });

  it('lets only those reach MongoDB who know a secret of it, and not from this machine', () => {
    for (const name of ['mongodb', 'initiate', 'tools']) {
      expect(compose.services[name].ports).toBeUndefined();
      expect(compose.services[name].networks).toEqual(['database']);
    }
    expect(service.networks).toContain('database');
    expect(compose.networks.database).toEqual({
      internal: true,
      driver_opts: { 'com.docker.network.bridge.inhibit_ipv4': 'true' },
    });
    expect(startOf(mongodb)).toContain('mongod --replSet rs0 --bind_ip_all --keyFile /tmp/key');
    expect(startOf(mongodb)).toContain('--setParameter enableLocalhostAuthBypass=false');
  });

  it('gives the key to members and administration, the password to the service, and both to initiate', () => {
    const secretsOf = ({ environment = {} }: { environment?: Record<string, string> }) =>
      Object.fromEntries(Object.entries(environment).filter(([name]) => /^MONGODB_(KEY|PASSWORD)$/.test(name)));
    const key = { MONGODB_KEY: `\${MONGODB_KEY:?Set MONGODB_KEY in .env}` };
    expect(secretsOf(mongodb)).toEqual(key);
    expect(secretsOf(compose.services.tools)).toEqual(key);
    expect(secretsOf(initiate)).toEqual({ ...key, MONGODB_PASSWORD: `\${MONGODB_PASSWORD}` });
    // It gets all of .env, which an empty variable replaces.
    expect(secretsOf(service)).toEqual({ MONGODB_KEY: '' });
    expect(Object.keys(compose.services)).toEqual(['service', 'mongodb', 'initiate', 'tools']);
  });

  it.each(Object.keys(compose.services))('restricts the privileges, memory and disk space of %s', (name) => {
    const container = compose.services[name];
    expect(container.read_only).toBe(true);
    expect(container.cap_drop).toEqual(['ALL']);
    expect(container.cap_add).toBeUndefined();
    expect(container.privileged).toBeUndefined();
    expect(container.security_opt).toEqual(['no-new-privileges:true']);
    expect(container.mem_limit).toMatch(/^\d+g$/);
    expect(container.logging).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } });
    for (const mount of container.tmpfs) expect(mount).toMatch(/^\/[\w/]+:size=\d+m$/);
  });

  it('pins the database image by version and digest and runs it as the owner of its files', () => {
    expect(mongodb.image).toMatch(/^mongo:8\.0\.\d+@sha256:[0-9a-f]{64}$/);
    expect(mongodb.user).toBe('999:999');
    const tmpfsOf = (name: string) => compose.services[name].tmpfs.map((mount: string) => mount.split(':')[0]);
    // Each volume that the image declares is a named volume or a tmpfs: no container leaves
    // another.
    expect(tmpfsOf('mongodb')).toEqual(['/tmp', '/data/configdb']);
    for (const name of ['initiate', 'tools']) expect(tmpfsOf(name)).toEqual(['/tmp', '/data/configdb', '/data/db']);
  });

  it('sets only known variables, which form a valid configuration', () => {
    expect(Object.keys(service.environment).filter((name) => !known.includes(name))).toEqual(['MONGODB_KEY']);
    const env = { ...service.environment, ...REQUIRED, MONGODB_URI: uri, PORT: '3000' };
    expect(loadConfig(env)).toMatchObject({ production: true, port: 3000, host: '0.0.0.0' });
    expect(service.environment.SESSION_SECRET).toMatch(/^\$\{SESSION_SECRET:\?.+\}$/);
  });

  it('listens on PORT in the container too, so that the address in the log is right', () => {
    expect(service.environment.PORT).toBe(`\${PORT:-3000}`);
    const address = `\${HOST:+\${HOST:-}:}\${PORT:-3000}`;
    expect(service.ports).toEqual([`${address}:${service.environment.PORT}`]);
  });

  it('connects to the replica set that is initiated, as the user that is created', () => {
    const { host, username, password, pathname, searchParams } = new URL(uri);
    expect({ host, username, password, pathname }).toEqual({
      host: initiate.environment.MEMBERS,
      username: 'service',
      password: REQUIRED.MONGODB_PASSWORD,
      pathname: '/user-collection',
    });
    expect(Object.fromEntries(searchParams)).toEqual({ replicaSet: 'rs0', authSource: 'admin' });
    expect(initiate.volumes).toEqual(['./deploy/replica-set/initiate.js:/initiate.js:ro']);
    expect(existsSync(join(root, 'deploy/replica-set/initiate.js'))).toBe(true);
  });

  it(`is accepted by ${hasCompose ? 'docker compose config if the secrets are set' : 'a YAML parser (docker compose is not installed)'}`, () => {
    expect(Object.keys(compose)).toEqual(['name', 'x-limits', 'x-mongodb', 'services', 'networks', 'volumes']);
    if (!hasCompose) return;
    const config = (env: Record<string, string>) =>
      spawnSync('docker', ['compose', 'config', '--quiet'], { cwd: root, env: { ...process.env, ...env } });
    expect(config(REQUIRED).status).toBe(0);
    for (const name of Object.keys(REQUIRED)) expect(config({ ...REQUIRED, [name]: '' }).status).not.toBe(0);
  });
});

describe('.env.example', () => {
  const lines = read('.env.example').split('\n');
  const settings = lines.flatMap((line) => /^#?([A-Z_]+)=(.*)$/.exec(line)?.slice(1) ?? []);
  const names = settings.filter((_, index) => index % 2 === 0);

  it('contains every configuration variable exactly once, the secrets of Compose, and what the bucket needs', () => {
    const others = ['MONGODB_KEY', 'MONGODB_PASSWORD', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
    // The operating system sets PATH.
    const expected = [...known.filter((name) => name !== 'PATH'), ...others];
    expect([...names].sort()).toEqual(expected.sort());
  });

  it('has a comment above each variable', () => {
    for (const paragraph of read('.env.example').trim().split('\n\n')) expect(paragraph).toMatch(/^# \S+ /);
  });

  it('says how to write a value with $, which Docker Compose replaces', () => {
    expect(read('.env.example').replaceAll('\n# ', ' ')).toContain('a value with $ needs single quotes');
  });

  it('contains valid values', () => {
    const shown = Object.fromEntries(names.map((name, index) => [name, settings[2 * index + 1]]));
    expect(() => loadConfig(shown)).not.toThrow();
  });
});

describe('the image', () => {
  const instructions = read('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));

  it('is built only from a Node image that is pinned by version and digest', () => {
    const from = instructions.filter((line) => line.startsWith('FROM '));
    expect(from.map((line) => line.split(' ')[1])).toEqual(Array(3).fill(`\${NODE}`));
    const pinned = instructions.filter((line) => line.startsWith('ARG '));
    expect(pinned).toEqual([expect.stringMatching(/^ARG NODE=node:24\.\d+\.\d+-slim@sha256:[0-9a-f]{64}$/)]);
    expect(read('Dockerfile')).not.toMatch(/^# *syntax *=/m);
  });

  it('contains only production packages and dist, and runs as a user other than root', () => {
    expect(last.filter((line) => line.startsWith('COPY'))).toEqual([
      'COPY package.json ./',
      'COPY --from=packages /app/node_modules ./node_modules',
      'COPY --from=packages /app/sbom.json ./',
      'COPY --from=build /app/dist ./dist',
    ]);
    expect(instructions).toContain('RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund');
    expect(last).toContain('USER node');
    expect(last).toContain('ENV NODE_ENV=production');
  });

  it('lists the packages of the image, and only those', () => {
    const stage = instructions.slice(instructions.indexOf(`FROM \${NODE} AS packages`));
    const install = stage.indexOf('RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund');
    const list = stage.indexOf(
      'RUN npm pkg delete workspaces devDependencies && npm sbom --sbom-format=cyclonedx > sbom.json',
    );
    expect(install).toBeGreaterThan(0);
    expect(list).toBeGreaterThan(install);
  });

  it('runs the server with the flags of `user-collection-service serve`', () => {
    expect(last).toContain(`CMD ${JSON.stringify(['node', ...SERVER_FLAGS, 'dist/server.js']).replaceAll(',', ', ')}`);
  });

  it('has a health check that exits with code 1 if the service does not respond', () => {
    const check = last.find((line) => line.startsWith('HEALTHCHECK'));
    const [node = '', ...args]: string[] = JSON.parse(/CMD (\[.*\])$/.exec(check ?? '')?.[1] ?? '[]');
    expect(node).toBe('node');
    const { status, stderr } = spawnSync(process.execPath, args, { env: { PORT: '1' }, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  });

  it('excludes secrets, data and build output from its build context', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const path of ['.env', 'data', 'node_modules', 'dist', '.git']) expect(ignored).toContain(path);
  });
});
