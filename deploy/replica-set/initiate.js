// Initiates the replica set of $MEMBERS, and ends when it has a primary, and on it the user of the
// service with $MONGODB_PASSWORD. Run by mongosh at each `docker compose up`.

const { MEMBERS, MONGODB_KEY, MONGODB_PASSWORD } = process.env;
const HOSTS = MEMBERS.split(',');
const WAIT_MS = 120_000;
/** Three members elect another primary within about four seconds. */
const settings = { electionTimeoutMillis: 3_000 };

/** What the service needs; `clusterMonitor` is for `doctor`. */
const USER = {
  pwd: MONGODB_PASSWORD,
  roles: [
    { role: 'readWrite', db: 'user-collection' },
    { role: 'clusterMonitor', db: 'admin' },
  ],
  writeConcern: { w: 'majority', wtimeout: 10_000 },
};

const OPTIONS = 'authSource=local&directConnection=true&serverSelectionTimeoutMS=2000';
const admin = (host) => new Mongo(`mongodb://__system:${MONGODB_KEY}@${host}/?${OPTIONS}`).getDB('admin');

/** The reply of a member to a command; undefined if it fails. */
function ask(host, command) {
  try {
    return admin(host).adminCommand(command);
  } catch (error) {
    print(`${host}: ${error.message}`);
    return undefined;
  }
}

/** Creates the user, or replaces its password and roles. */
function setUser(primary) {
  const found = ask(primary, { usersInfo: 'service' });
  if (found === undefined) return false;
  const command = found.users.length > 0 ? { updateUser: 'service', ...USER } : { createUser: 'service', ...USER };
  const reply = ask(primary, command);
  return reply !== undefined && reply.writeConcernError === undefined;
}

function isReady() {
  const hellos = HOSTS.map((host) => ask(host, { hello: 1 }));
  const primary = HOSTS.find((_, index) => hellos[index]?.isWritablePrimary);
  if (primary !== undefined) return setUser(primary);
  // Only when all answer that they belong to no set: a member that is away may have the data.
  if (hellos.every((hello) => hello !== undefined && hello.setName === undefined)) {
    const members = HOSTS.map((host, _id) => ({ _id, host }));
    ask(HOSTS[0], { replSetInitiate: { _id: 'rs0', members, settings } });
  }
  return false;
}

// mongod starts with no other key, and a URI needs no encoding of these.
const isSecret = (text = '') => /^[A-Za-z0-9]{6,1024}$/.test(text);
const faults = Object.entries({ MONGODB_KEY, MONGODB_PASSWORD })
  .filter(([, text]) => !isSecret(text))
  .map(([name]) => `${name} must have 6 to 1024 letters and digits, and no other character: set it in .env`);
// With the key the service could do everything.
if (MONGODB_PASSWORD === MONGODB_KEY) faults.push('MONGODB_PASSWORD and MONGODB_KEY must differ: set them in .env');
for (const fault of faults) print(fault);

const until = Date.now() + WAIT_MS;
let isDone = false;
while (faults.length === 0 && !isDone && Date.now() < until) {
  isDone = isReady();
  if (!isDone) sleep(1_000);
}
quit(isDone ? 0 : 1);
