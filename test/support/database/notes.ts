import type { Db } from 'mongodb';
import type { Note } from './note-migrations.mjs';

/** More than two steps of a migration (note-migrations.mjs). */
export const NOTES = 250;

export const notesOf = (db: Db) => db.collection<Note>('notes');

/** Stores notes as they are before all migrations. */
export async function storeNotes(db: Db): Promise<void> {
  const notes = notesOf(db);
  await notes.insertMany(
    Array.from({ length: NOTES }, (_, _id) => ({ _id, text: 'x'.repeat(_id % 7), length: _id % 7 })),
  );
  await notes.createIndex({ length: 1 });
}

/** Returns how many notes are not as the migrations make them, without and with contractions. */
export async function countOutdated(db: Db): Promise<{ notExpanded: number; notContracted: number }> {
  const isRight = { $and: [{ $eq: ['$size', { $strLenCP: '$text' }] }, { $eq: ['$kind', 'plain'] }] };
  const notes = notesOf(db);
  return {
    notExpanded: await notes.countDocuments({ $expr: { $not: [isRight] } }),
    notContracted:
      (await notes.countDocuments({ length: { $exists: true } })) + Number(await notes.indexExists('length_1')),
  };
}
