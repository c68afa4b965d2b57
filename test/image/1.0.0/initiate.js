// Initiates the replica set of $MEMBERS, and ends when it has a primary. Run by mongosh.

const { MEMBERS, MONGODB_PASSWORD } = process.env;
const HOSTS = MEMBERS.split(',');
const WAIT_MS = 120_000;
/** Three members elect another primary within about four seconds. */
const settings = { electionTimeoutMillis: 3_000 };

const OPTIONS = 'authSource=local&directConnection=true&serverSelectionTimeoutMS=2000';
const admin = (host) => new Mongo(`mongodb://__system:${MONGODB_PASSWORD}@${host}/?${OPTIONS}`).getDB('admin');

/** What a member says of itself; undefined if it does not answer. */
function helloOf(host) {
  try {
    return admin(host).adminCommand({ hello: 1 });
  } catch (error) {
    print(`${host}: ${error.message}`);
    return undefined;
  }
}

function hasPrimary() {
  const hellos = HOSTS.map(helloOf);
  if (hellos.some((hello) => hello?.isWritablePrimary)) return true;
  // Only when all answer that they belong to no set: a member that is away may have the data.
  if (hellos.every((hello) => hello !== undefined && hello.setName === undefined)) {
    const members = HOSTS.map((host, _id) => ({ _id, host }));
    admin(HOSTS[0]).adminCommand({ replSetInitiate: { _id: 'rs0', members, settings } });
  }
  return false;
}

// mongod starts with no other key, and a URI needs no encoding of these.
const isKey = /^[A-Za-z0-9]{6,1024}$/.test(MONGODB_PASSWORD);
if (!isKey) print('MONGODB_PASSWORD must have 6 to 1024 letters and digits, and no other character: set it in .env');

const until = Date.now() + WAIT_MS;
let isDone = false;
while (isKey && !isDone && Date.now() < until) {
  isDone = hasPrimary();
  if (!isDone) sleep(1_000);
}
quit(isDone ? 0 : 1);
