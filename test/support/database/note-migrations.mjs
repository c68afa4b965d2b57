// Migrations of a collection of the tests: one with both parts, one that expands only, and one that
// contracts only.

/** The documents of a step: tests store more than two steps of them. */
const DOCUMENTS_OF_STEP = 100;

export function noteMigrations(notes) {
  return [
    {
      number: 1,
      name: 'sizes of notes',
      expand: updates({ size: { $exists: false } }, [{ $set: { size: '$length' } }]),
      contract: updates({ length: { $exists: true } }, { $unset: { length: 1 } }),
    },
    { number: 2, name: 'kinds of notes', expand: updates({ kind: { $exists: false } }, { $set: { kind: 'plain' } }) },
    { number: 3, name: 'index of notes', contract: dropsIndex('length_1') },
  ];

  /** Updates all documents that match, in the order of their ids. */
  function updates(outdated, update) {
    return {
      async step({ position = -1, limit: most, fence }) {
        const limit = Math.min(most, DOCUMENTS_OF_STEP);
        const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit };
        const found = await notes.find({ _id: { $gt: position } }, options).toArray();
        const ids = found.map(({ _id }) => _id);
        const filter = { $and: [{ _id: { $in: ids } }, outdated, fence] };
        const { modifiedCount } = await notes.updateMany(filter, update);
        return { changed: modifiedCount, ...(ids.length === limit && { position: ids.at(-1) }) };
      },
      pending: (limit) => notes.countDocuments(outdated, { limit }),
    };
  }

  /** A fence cannot cover the drop of an index; a repetition does no harm. */
  function dropsIndex(name) {
    const exists = () => notes.indexExists(name);
    return {
      async step() {
        const changed = Number(await exists());
        if (changed > 0) await notes.dropIndex(name).catch(refuseUnlessMissing);
        return { changed };
      },
      pending: async () => Number(await exists()),
    };
  }
}

/** Another migrator dropped it first: a statement may arrive late. */
function refuseUnlessMissing(error) {
  if (error.codeName !== 'IndexNotFound') throw error;
}
