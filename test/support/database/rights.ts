import type { MongoClient } from 'mongodb';

/** The commands that the role `readWrite` allows on its database, and those that need no role. */
const ALLOWED = new Set(
  `aggregate count distinct find getMore killCursors listCollections listIndexes collStats dbStats
  create createIndexes delete drop dropIndexes findAndModify insert renameCollection update
  abortTransaction commitTransaction endSessions hello ping`.split(/\s+/),
);
/** The stages that need more than the aggregation. */
const PRIVILEGED = ['$currentOp', '$indexStats', '$listSessions', '$planCacheStats'];

const excesses: string[] = [];

/** Notes the commands of a client, with the option `monitorCommands`, that need other roles. */
export function watchRights(client: MongoClient, report = (excess: string) => void excesses.push(excess)): void {
  client.on('commandStarted', ({ commandName, command }) => {
    if (!ALLOWED.has(commandName)) report(commandName);
    for (const stage of commandName === 'aggregate' ? command.pipeline : []) {
      for (const name of Object.keys(stage)) if (PRIVILEGED.includes(name)) report(`aggregate with ${name}`);
    }
  });
}

/** Returns the excesses since the last call. */
export const takeExcesses = (): string[] => excesses.splice(0);
