import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { BSON, type Document, MongoClient } from 'mongodb';

/** What a script for mongosh did. */
interface Ended {
  code: number;
  printed: string[];
}

/**
 * The globals of mongosh that the scripts of deploy/ use. Their calls return when the database has
 * answered, so the script runs in a thread that waits for the main one.
 */
const GLOBALS = `
  const { parentPort, receiveMessageOnPort, workerData } = require('node:worker_threads');
  const { runInNewContext } = require('node:vm');
  const { script, env, port, answered } = workerData;

  function ask(uri, command) {
    Atomics.store(answered, 0, 0);
    port.postMessage({ uri, command });
    Atomics.wait(answered, 0, 0);
    const { reply, error } = receiveMessageOnPort(port).message;
    if (error) throw Object.assign(new Error(error.message), error);
    return reply;
  }

  class Mongo {
    constructor(uri) {
      this.uri = uri;
    }
    getDB() {
      return { adminCommand: (command) => ask(this.uri, command) };
    }
  }

  const printed = [];
  const globals = {
    process: { env },
    Mongo,
    Date,
    print: (line) => printed.push(line),
    sleep: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms / 20),
    quit: (code) => parentPort.postMessage({ code, printed }),
  };
  runInNewContext(script, globals);
`;

/** Runs a script for mongosh against real servers; its pauses are a twentieth. */
export async function runMongosh(script: string, env: Record<string, string>): Promise<Ended> {
  const { port1: port, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  port.on('message', async ({ uri, command }: { uri: string; command: Document }) => {
    const client = new MongoClient(uri);
    const answer = await client
      .db('admin')
      .command(command)
      .then(
        (reply: Document) => ({ reply: BSON.EJSON.serialize(reply) }),
        ({ message, code, codeName }) => ({ error: { message, code, codeName } }),
      );
    await client.close();
    port.postMessage(answer);
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  });
  const workerData = { script, env, port: port2, answered };
  const worker = new Worker(GLOBALS, { eval: true, workerData, transferList: [port2] });
  try {
    const [ended] = await once(worker, 'message');
    return ended;
  } finally {
    port.close();
    await worker.terminate();
  }
}
