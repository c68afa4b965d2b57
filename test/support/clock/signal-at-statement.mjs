// Loaded before a program (`node --import`): prints a line and sends the process SIGNAL before its
// statement number AT reaches the network, or its update number AT of the collection in UPDATE_OF.
// SIGUSR2 prints how many statements there were.
import { writeSync } from 'node:fs';
import { MongoClient } from 'mongodb';

const { SIGNAL, AT, UPDATE_OF } = process.env;
let statements = 0;
const { connect, emit } = MongoClient.prototype;
MongoClient.prototype.connect = function () {
  this.monitorCommands = true;
  return connect.call(this);
};
MongoClient.prototype.emit = function (event, ...rest) {
  if (event === 'commandStarted' && (UPDATE_OF === undefined || rest[0].command.update === UPDATE_OF)) {
    statements += 1;
    if (SIGNAL && statements === Number(AT)) {
      writeSync(1, `before statement ${AT}\n`);
      process.kill(process.pid, SIGNAL);
    }
  }
  return emit.call(this, event, ...rest);
};
process.on('SIGUSR2', () => writeSync(1, `statements: ${statements}\n`));
