import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environment, loadConfig } from '../../src/platform/core/config.ts';
import { Leftovers } from '../support/server/process.ts';
import { startServer } from '../support/server/server.ts';
import { runTool } from '../support/server/tool.ts';

/** All received requests are answered within this time after SIGTERM (spec 7). */
const STOP_SECONDS = 10;
const SECRETS = { SESSION_SECRET: 'a secret of the test of deploy/', METRICS_TOKEN: 'a-token-of-the-test' };
const DOMAIN = 'forms.example.com';

const root = join(import.meta.dirname, '..', '..');
const deploy = join(root, 'deploy');
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');
const { name: IMAGE, version, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const settings = Object.keys(environment.shape);
const unknownOf = (names: Iterable<string>) => [...names].filter((name) => !settings.includes(name));

/** The variables of an env file of Kustomize. */
const envFile = (path: string): Record<string, string> =>
  Object.fromEntries([...read(path).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));

/** The help of a command; undefined if there is none of that name. */
async function helpOf(command: string): Promise<string | undefined> {
  const { stdout } = await runTool([command, '--help'], {});
  return stdout.startsWith(`Usage: user-collection-service ${command} `) ? stdout : undefined;
}

/** Expects that the command exists, with the options that follow it. */
async function expectCommand([command = '', ...rest]: readonly string[]): Promise<void> {
  const help = await helpOf(command);
  expect(help, command).toBeDefined();
  for (const option of rest.filter((word) => word.startsWith('--'))) expect(help).toContain(option);
}

const leftovers = new Leftovers();
afterAll(() => leftovers.clear());

it('uses paths of health checks and a metric that a server has, and the port that it has by default', {
  tags: 'long',
}, async () => {
  const server = await startServer({ METRICS_TOKEN: SECRETS.METRICS_TOKEN });
  try {
    const ask = (path: string) =>
      fetch(server.listener.url + path, { headers: { Authorization: `Bearer ${SECRETS.METRICS_TOKEN}` } });
    const probes = Object.values(container).flatMap((one) => (one as Probe | undefined)?.httpGet?.path ?? []);
    expect([...new Set(probes)].sort()).toEqual(['/health', '/ready']);
    const [, checked = ''] = /health_uri (\S+)/.exec(read('replica-set/Caddyfile')) ?? [];
    // A server without a database answers 503 itself, with a body and Retry-After.
    expect(checked).toBe('/health');
    const [{ path }] = find('PodMonitor').spec.podMetricsEndpoints;
    for (const asked of [...probes, checked, path])
      expect({ asked, status: (await ask(asked)).status }).toEqual({ asked, status: 200 });
    const [, metric = ''] = /^(\w+)\{/.exec(adapterRule.seriesQuery) ?? [];
    expect(await (await ask(path)).text()).toMatch(new RegExp(`^${metric} \\d`, 'm'));
  } finally {
    await server.close();
  }
  const port = String(environment.parse({}).PORT);
  expect([servers.server1.environment.PORT, envFile('kubernetes/settings/settings.env').PORT]).toEqual([port, port]);
  expect(read('replica-set/Caddyfile')).toContain(`reverse_proxy server1:${port} server2:${port} {`);
  expect(container.ports).toEqual([{ name: 'http', containerPort: Number(port) }]);
});

interface Probe {
  httpGet?: { path: string; port: string };
}

const compose = parse(read('replica-set/compose.yml'), { merge: true });
const servers = compose.services;
const OF_SERVICE = ['server1', 'server2', 'migrate', 'compare'];
const OF_MONGODB = ['initiate', 'tools', 'drill'];
const MEMBERS = ['mongodb1', 'mongodb2', 'mongodb3'];
const [KEY, PASSWORD] = ['0123456789abcdef', 'fedcba9876543210'];
const uriOf = (name: string): string =>
  servers[name].environment.MONGODB_URI.replace(/\$\{MONGODB_PASSWORD(?::\?.+?)?\}/, PASSWORD).replace(
    `\${MONGODB_KEY}`,
    KEY,
  );

describe('deploy/replica-set/compose.yml', () => {
  it('runs two servers of WORKERS=auto behind Caddy after the migration; only Caddy has ports', () => {
    for (const name of ['server1', 'server2']) {
      expect(servers[name]).toMatchObject({
        environment: { WORKERS: 'auto', MIGRATE_ON_START: 'false', TRUST_PROXY: '1' },
        depends_on: { migrate: { condition: 'service_completed_successfully' } },
        networks: ['edge', 'database'],
      });
      expect(Number.parseInt(servers[name].stop_grace_period, 10)).toBeGreaterThan(STOP_SECONDS);
    }
    const published = Object.keys(servers).filter((name) => servers[name].ports);
    expect(published).toEqual(['caddy']);
    for (const name of OF_MONGODB) expect(servers[name].networks).toEqual(['database']);
  });

  it('lets only those reach MongoDB who know a secret of it, and not from this machine', () => {
    expect(compose.networks.database).toMatchObject({
      internal: true,
      driver_opts: { 'com.docker.network.bridge.inhibit_ipv4': 'true' },
    });
    for (const name of [...MEMBERS, ...OF_MONGODB])
      expect(servers[name].environment.MONGODB_KEY).toBe(`\${MONGODB_KEY:?Set MONGODB_KEY in .env}`);
    // They get all of .env, which an empty variable replaces.
    for (const name of OF_SERVICE) expect(servers[name].environment.MONGODB_KEY).toBe('');
    const given = Object.keys(servers).filter((name) => 'MONGODB_PASSWORD' in (servers[name].environment ?? {}));
    expect(given).toEqual(['initiate']);
    for (const name of [...MEMBERS, 'drill']) {
      expect(servers[name].entrypoint.at(-2)).toContain('mongod --bind_ip_all --keyFile /tmp/key');
      expect(servers[name].entrypoint.at(-2)).toContain('--setParameter enableLocalhostAuthBypass=false --quiet');
    }
  });

  it('gives the members addresses that need no DNS, in all containers that connect to them', () => {
    const [{ subnet, ip_range: dynamic }] = compose.networks.database.ipam.config;
    // No other container may have the address of a member that is away.
    expect(dynamic).toBe(subnet.replace('.0/24', '.128/25'));
    const addresses = Object.fromEntries(
      MEMBERS.map((member) => [member, servers[member].networks.database.ipv4_address]),
    );
    expect(new Set(Object.values(addresses)).size).toBe(MEMBERS.length);
    for (const address of Object.values(addresses)) expect(address.replace(/\.\d{1,2}$/, '.0/24')).toBe(subnet);
    for (const name of [...OF_SERVICE, ...MEMBERS, 'initiate', 'tools'])
      expect(servers[name].extra_hosts).toEqual(addresses);
  });

  it('builds the image once', () => {
    expect(Object.keys(servers).filter((name) => servers[name].build)).toEqual(['migrate']);
    expect(servers.migrate.build).toBe('../..');
    for (const name of OF_SERVICE) expect(servers[name].pull_policy).toBe('never');
  });

  it('sets only settings, which form a valid configuration, and runs commands that exist', async () => {
    for (const name of OF_SERVICE) {
      const { environment: env, image } = servers[name];
      expect(image).toBe(IMAGE);
      expect(unknownOf(Object.keys(env))).toEqual(['MONGODB_KEY']);
      const given = { ...env, MONGODB_URI: uriOf(name), ...SECRETS, PUBLIC_URL: `https://${DOMAIN}` };
      expect(loadConfig(given)).toMatchObject({ production: true, trustProxy: 1 });
      expect(env.SESSION_SECRET).toMatch(/^\$\{SESSION_SECRET:\?.+\}$/);
    }
    for (const name of ['migrate', 'compare']) {
      const [node, program, ...command] = servers[name].command;
      expect([node, program]).toEqual(['node', bin['user-collection-service']]);
      await expectCommand(command);
    }
  });

  it('has a volume for the data of each member, and pins the images of others by version and digest', () => {
    for (const member of MEMBERS) expect(servers[member].volumes).toEqual([`${member}:/data/db`]);
    const named = Object.values<{ volumes?: string[] }>(servers).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    expect(Object.keys(compose.volumes).sort()).toEqual([...new Set(named.filter((name) => /^\w/.test(name)))].sort());
    const images = Object.keys(servers)
      .filter((name) => !OF_SERVICE.includes(name))
      .map((name) => servers[name].image);
    for (const image of images) expect(image).toMatch(/^(?:mongo|caddy):\d+\.\d+\.\d+\S*@sha256:[0-9a-f]{64}$/);
    const [, least = ''] = /# Caddy (\d+\.\d+) or later/.exec(read('replica-set/Caddyfile')) ?? [];
    const [, major = '', minor = ''] = /^caddy:(\d+)\.(\d+)/.exec(servers.caddy.image) ?? [];
    expect(least).toBe('2.11');
    expect(Number(major) === 2 && Number(minor) >= 11).toBe(true);
    const alone = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
    const { image, user, tmpfs, healthcheck } = alone.services.mongodb;
    for (const name of MEMBERS) expect(servers[name]).toMatchObject({ image, user, tmpfs, healthcheck });
    expect(servers.drill.healthcheck).toEqual(healthcheck);
    // Otherwise each container leaves an anonymous volume.
    for (const name of ['initiate', 'tools']) expect(servers[name].tmpfs).toEqual(alone.services[name].tmpfs);
  });

  it.each(Object.keys(servers))(
    'restricts the privileges, memory and log of %s, and mounts files that exist',
    (name) => {
      const one = servers[name];
      expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(one.cap_add).toEqual(name === 'caddy' ? ['NET_BIND_SERVICE'] : undefined);
      expect(one.mem_limit).toMatch(/^\d+[gm]$/);
      expect(one.logging).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } });
      const mounted = (one.volumes ?? []).filter((volume: string) => volume.startsWith('.'));
      for (const volume of mounted) expect(existsSync(join(deploy, 'replica-set', volume.split(':')[0]))).toBe(true);
    },
  );

  it('names the hosts of its members in every connection string', () => {
    const hosts = MEMBERS.map((member) => `${member}:27017`).join(',');
    for (const name of ['server1', 'server2', 'migrate']) {
      const user = `service:${PASSWORD}`;
      expect(uriOf(name)).toBe(`mongodb://${user}@${hosts}/user-collection?replicaSet=rs0&authSource=admin`);
    }
    expect(uriOf('compare')).toBe(`mongodb://__system:${KEY}@drill:27017/user-collection?authSource=local`);
    expect(servers.tools.entrypoint.at(-1)).toContain('uri: mongodb://__system:$$MONGODB_KEY@$$TARGET');
    expect(servers.initiate.environment.MEMBERS).toBe(hosts);
    expect(servers.tools.environment.TARGET).toMatch(/^mongodb1,mongodb2,mongodb3\/\?replicaSet=rs0&/);
    for (const member of MEMBERS) expect(servers[member].command).toEqual(['--replSet', 'rs0']);
  });
});

describe('deploy/replica-set/initiate.js', () => {
  type Command = { hello?: 1; usersInfo?: string; replSetInitiate?: { members: { host: string }[] } };

  /** What the members answer, and what the script does, with stand-ins for mongosh's globals. */
  function run(states: Record<string, object | undefined>, secrets = {}) {
    const initiated: object[] = [];
    const users: { host: string; createUser?: string; updateUser?: string }[] = [];
    printed.length = 0;
    let code = -1;
    let now = 0;
    class Mongo {
      readonly host: string;
      constructor(uri: string) {
        const { host, username, password } = new URL(uri);
        expect({ username, password }).toEqual({ username: '__system', password: KEY });
        this.host = host;
      }
      getDB() {
        return {
          adminCommand: (command: Command) => {
            const state = states[this.host];
            if (!state) throw new Error('no answer');
            if (command.hello) return state;
            if (command.usersInfo) return { users };
            if (command.replSetInitiate) {
              initiated.push(command.replSetInitiate);
              for (const { host } of command.replSetInitiate.members) states[host] = { setName: 'rs0' };
              states[this.host] = { setName: 'rs0', isWritablePrimary: true };
            } else users.push({ host: this.host, ...command });
            return { ok: 1 };
          },
        };
      }
    }
    const env = { MONGODB_KEY: KEY, MONGODB_PASSWORD: PASSWORD, ...secrets };
    const globals = {
      process: { env: { MEMBERS: servers.initiate.environment.MEMBERS, ...env } },
      Mongo,
      Date: { now: () => now },
      print: (line: string) => printed.push(line),
      sleep: (ms: number) => {
        now += ms;
      },
      quit: (given: number) => {
        code = given;
      },
    };
    runInNewContext(read('replica-set/initiate.js'), globals);
    return { initiated, users: users.map(({ host, createUser }) => ({ host, createUser })), code };
  }
  const printed: string[] = [];
  const hosts = MEMBERS.map((member) => `${member}:27017`);
  const all = (state: object | undefined) => Object.fromEntries(hosts.map((host) => [host, state]));
  const nothing = { initiated: [], users: [], code: 1 };

  it('initiates a set of the members once, which elects within the time that docs/operations.md says', () => {
    const members = hosts.map((host, _id) => ({ _id, host }));
    const settings = { electionTimeoutMillis: 3_000 };
    // test/security/database-user.test.ts has the user, on a real mongod.
    const users = [{ host: 'mongodb1:27017', createUser: 'service' }];
    expect(run(all({ isreplicaset: true }))).toEqual({
      initiated: [{ _id: 'rs0', members, settings }],
      users,
      code: 0,
    });
    expect(run({ ...all({ setName: 'rs0' }), 'mongodb3:27017': { setName: 'rs0', isWritablePrimary: true } })).toEqual({
      initiated: [],
      users: [{ host: 'mongodb3:27017', createUser: 'service' }],
      code: 0,
    });
  });

  it.each(
    ['MONGODB_KEY', 'MONGODB_PASSWORD'].flatMap((name) =>
      ['short', 'with-a-hyphen', 'p@ss/w:rd', undefined].map((text) => ({ name, text })),
    ),
  )('says at once that $name cannot be $text', ({ name, text }) => {
    expect(run(all(undefined), { [name]: text })).toEqual(nothing);
    expect(printed).toEqual([expect.stringContaining(`${name} must have 6 to 1024 letters and digits`)]);
  });

  it('refuses a password that is the key, with which the service could do everything', () => {
    expect(run(all({ isreplicaset: true }), { MONGODB_PASSWORD: KEY })).toEqual(nothing);
    expect(printed).toEqual([expect.stringContaining('MONGODB_PASSWORD and MONGODB_KEY must differ')]);
  });

  it('does not initiate while a member does not answer, or belongs to a set', () => {
    expect(run({ ...all({ isreplicaset: true }), 'mongodb2:27017': undefined })).toEqual(nothing);
    expect(run({ ...all({ isreplicaset: true }), 'mongodb2:27017': { setName: 'rs0' } })).toEqual(nothing);
  });
});

describe('the scripts of backups', () => {
  const HOST_SCRIPTS = ['replica-set/backup.sh', 'replica-set/drill.sh'];

  it('are valid, and run services and commands that exist', async () => {
    for (const script of HOST_SCRIPTS) {
      expect(spawnSync('sh', ['-n', join(deploy, script)]).status).toBe(0);
      expect(read(script)).toMatch(/^set -eu$/m);
      const runs = [
        ...read(script)
          .replaceAll('\\\n', ' ')
          .matchAll(/^docker compose run --rm -T --no-deps(?: --env \S+)? (\w+)(.*) [<>]/gm),
      ];
      expect(runs).toHaveLength(2);
      for (const [, service = '', rest = ''] of runs) {
        expect(Object.keys(servers)).toContain(service);
        const [, command] = /dist\/cli\.js (.*)/.exec(rest) ?? [];
        if (command !== undefined) await expectCommand(command.trim().split(' '));
      }
    }
  });

  it('write manifests to standard output, as docs/restore-drill.md does: containers are read-only', () => {
    const written = [read('replica-set/backup.sh'), readFileSync(join(root, 'docs/restore-drill.md'), 'utf8')].flatMap(
      (text) => [...text.matchAll(/verify --write (.*)/g)].map(([, rest = '']) => rest.slice(0, 3)),
    );
    expect(written).toEqual(['- >', '- >']);
  });

  it('keep the newest KEEP backups, as files of the caller, and remove none when the dump fails or is stopped (a script instead of docker)', async () => {
    const folder = await leftovers.folder();
    const backups = join(folder, 'backups');
    await mkdir(backups);
    for (const day of [1, 2, 3]) {
      for (const end of ['archive.gz', 'json']) await writeFile(join(backups, `2026-01-0${day}.${end}`), '');
    }
    const backUp = async (docker: string) => {
      await writeFile(join(folder, 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env.PATH}`, KEEP: '2' };
      const { status } = spawnSync('sh', [join(deploy, 'replica-set/backup.sh'), 'backups'], { cwd: folder, env });
      return { status, files: (await readdir(backups)).sort() };
    };
    const kept = (...days: number[]) => days.flatMap((day) => [`2026-01-0${day}.archive.gz`, `2026-01-0${day}.json`]);
    const fails = 'echo "$@"; case "$*" in *mongodump*) exit 1 ;; esac';
    expect(await backUp(fails)).toEqual({ status: 1, files: kept(1, 2, 3) });
    const isStopped = 'echo "$@"; case "$*" in *mongodump*) kill -TERM $PPID ;; esac';
    expect(await backUp(isStopped)).toEqual({ status: 1, files: kept(1, 2, 3) });
    const { status, files } = await backUp('echo "$@"');
    expect(status).toBe(0);
    const [archive = '', manifest = ''] = files.splice(2);
    expect(files).toEqual(kept(3));
    expect(readFileSync(join(backups, archive), 'utf8')).toContain('tools mongodump --oplog\n');
    expect(readFileSync(join(backups, manifest), 'utf8')).toContain('verify --write -\n');
  });
});

const FOLDERS = ['settings', 'migrate', 'service', 'autoscaled'];
const kustomization = (folder: string) => parse(read(`kubernetes/${folder}/kustomization.yaml`));
const objects = FOLDERS.flatMap((folder) =>
  ((kustomization(folder).resources ?? []) as string[])
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(read(`kubernetes/${folder}/${file}`)).map((document) => document.toJS())),
);
const find = (kind: string) => objects.find((object) => object.kind === kind);
const namespace = parse(read('kubernetes/namespace.yaml'));
const { spec: pod, metadata: podMetadata } = find('Deployment').spec.template;
const [container] = pod.containers;
const {
  custom: [adapterRule],
} = parse(read('kubernetes/autoscaled/prometheus-adapter.yaml')).rules;

/** kubectl builds what Kustomize makes of the files. The title of the test says which check ran. */
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe('deploy/kubernetes', () => {
  it(`consists of files that exist${hasKubectl ? ', which kubectl builds' : ' (kubectl is not installed)'}`, async () => {
    const named = FOLDERS.flatMap((folder) => {
      const { resources = [], configurations = [] } = kustomization(folder);
      return [...resources, ...configurations].map((path: string) => join(deploy, 'kubernetes', folder, path));
    });
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
    if (!hasKubectl) return;
    const folder = await leftovers.folder();
    spawnSync('cp', ['-r', join(deploy, 'kubernetes'), folder]);
    const settingsFolder = join(folder, 'kubernetes/settings');
    await writeFile(join(settingsFolder, 'secrets.env'), readFileSync(join(settingsFolder, 'secrets.env.example')));
    const names: Record<string, string[]> = {};
    for (const name of FOLDERS) {
      const { status, stderr, stdout } = spawnSync('kubectl', ['kustomize', join(folder, 'kubernetes', name)], {
        encoding: 'utf8',
      });
      expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: '' });
      // Every reference to the Secret has the name that the hash of its content ends.
      const built = parseAllDocuments(stdout).map((document) => document.toJS());
      const secret = built.find(({ kind }) => kind === 'Secret').metadata.name;
      expect(secret).toMatch(name === 'migrate' ? /^migrate-secrets-\w{10}$/ : /^secrets-\w{10}$/);
      const references = [...stdout.matchAll(/name: ((?:migrate-)?secrets\S*)/g)].map(([, reference]) => reference);
      expect(new Set(references)).toEqual(new Set([secret]));
      names[name] = built.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    }
    // `kubectl delete --kustomize migrate` takes nothing from the servers.
    expect(names.migrate).toHaveLength(3);
    expect(names.migrate?.filter((object) => names.autoscaled?.includes(object))).toEqual([]);
  });

  it('leaves the number of pods to kubectl scale and the autoscaler, and the namespace when it is deleted', () => {
    expect(find('Deployment').spec).not.toHaveProperty('replicas');
    expect(find('Namespace')).toBeUndefined();
    for (const folder of FOLDERS) expect(kustomization(folder).namespace).toBe(namespace.metadata.name);
  });

  it('has settings and secrets that exist and form a valid configuration, with empty secrets in the example', () => {
    const configMap = envFile('kubernetes/settings/settings.env');
    const secret = envFile('kubernetes/settings/secrets.env.example');
    expect(unknownOf([...Object.keys(configMap), ...Object.keys(secret)])).toEqual([]);
    expect(configMap).toMatchObject({ MIGRATE_ON_START: 'false', WORKERS: '1' });
    // A user with the role readWrite, not an administrator.
    expect(new URL(secret.MONGODB_URI ?? '').username).toBe('service');
    expect(secret).toMatchObject({ SESSION_SECRET: '', ADMIN_PASSWORD: '', METRICS_TOKEN: '' });
    expect(loadConfig({ ...configMap, ...secret, ...SECRETS })).toMatchObject({ production: true });
    expect(configMap.PUBLIC_URL).toBe(`https://${find('Ingress').spec.rules[0].host}`);
    expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).toContain('secrets.env');
  });

  it('runs the servers and the migration from the image of this version, without rights', async () => {
    const job = find('Job').spec.template.spec;
    for (const { spec, images } of [
      { spec: pod, images: kustomization('service').images },
      { spec: job, images: kustomization('migrate').images },
    ]) {
      expect(images).toEqual([{ name: IMAGE, newTag: version }]);
      const [{ image, envFrom, securityContext }] = spec.containers;
      expect(image).toBe(IMAGE);
      expect(envFrom).toEqual([{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'secrets' } }]);
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    const [node, program, ...command] = job.containers[0].command;
    expect([node, program]).toEqual(['node', bin['user-collection-service']]);
    await expectCommand(command);
  });

  it('drains a pod before it ends it, and asks the database only for readiness', () => {
    const [sleep, seconds] = container.lifecycle.preStop.exec.command;
    expect(sleep).toBe('sleep');
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + STOP_SECONDS);
    expect(container.livenessProbe.httpGet.path).toBe('/health');
    expect(container.startupProbe.httpGet.path).toBe('/health');
    expect(container.readinessProbe.httpGet.path).toBe('/ready');
    expect(find('Deployment').spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
  });

  it('selects the pods by their labels, and connects the parts by names that exist', () => {
    const { labels } = podMetadata;
    expect(find('Deployment').spec.selector.matchLabels).toEqual(labels);
    for (const kind of ['PodDisruptionBudget', 'PodMonitor'])
      expect(find(kind).spec.selector.matchLabels).toEqual(labels);
    const service = find('Service');
    expect(service.spec.selector).toEqual(labels);
    expect(service.spec.ports[0].targetPort).toBe(container.ports[0].name);
    const [{ host, http }] = find('Ingress').spec.rules;
    expect(find('Ingress').spec.tls[0].hosts).toEqual([host]);
    expect(http.paths[0].backend.service).toEqual({
      name: service.metadata.name,
      port: { name: service.spec.ports[0].name },
    });
    const [{ port, authorization }] = find('PodMonitor').spec.podMetricsEndpoints;
    expect(port).toBe(container.ports[0].name);
    expect(authorization.credentials).toEqual({ name: 'secrets', key: 'METRICS_TOKEN' });
    // By this label the Prometheus of kube-prometheus-stack selects PodMonitors.
    expect(find('PodMonitor').metadata.labels).toEqual({ ...labels, release: 'prometheus' });
    expect(find('NetworkPolicy').spec.ingress[0].ports[0].port).toBe(container.ports[0].containerPort);
  });

  it('lets pods ask the DNS server of their node, which is no pod', () => {
    const rules: { to?: unknown; ports: { port: number; protocol: string }[] }[] = find('NetworkPolicy').spec.egress;
    const [dns] = rules.filter(({ ports }) => ports.some(({ port }) => port === 53));
    expect(dns).toEqual({ ports: ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 })) });
  });

  it('lets pods connect to all that their settings name: MongoDB, HTTPS, SMTP and clamd', () => {
    const rules: { ports: { port: number }[] }[] = find('NetworkPolicy').spec.egress;
    const open = rules.flatMap(({ ports }) => ports.map(({ port }) => port));
    expect([...new Set(open)].sort((a, b) => a - b)).toEqual([53, 443, 465, 587, 3310, 27017]);
  });

  it('scales by a metric that the adapter makes of one of /metrics', () => {
    const { scaleTargetRef, metrics, minReplicas } = find('HorizontalPodAutoscaler').spec;
    expect(scaleTargetRef).toMatchObject({ kind: 'Deployment', name: find('Deployment').metadata.name });
    expect(metrics[0].pods.metric.name).toBe(adapterRule.name.as);
    expect(minReplicas).toBeGreaterThan(find('PodDisruptionBudget').spec.maxUnavailable);
    expect(adapterRule.seriesQuery).toContain(`namespace="${namespace.metadata.name}"`);
  });
});
