import { UUID } from 'mongodb';
import type { SchemaPart } from '../../core/schemas/schema-part.ts';
import { Conflict, InvalidInput } from '../../platform/core/errors.ts';
import { type DocumentOf, schema, schemaOf } from '../../platform/database/mongoose.ts';
import { say } from '../../platform/languages/reasons.ts';
import {
  oldKeyIssues,
  type PendingRenames,
  type Rename,
  renameIssues,
  resolveRenames,
  underNewKeys,
} from './renames.ts';

const renameSchema = schemaOf<Rename>({
  from: { type: String, required: true },
  to: { type: String, required: true },
});

const pendingRenamesSchema = schemaOf<PendingRenames>({
  version: { type: Number, required: true },
  pairs: { type: [renameSchema], required: true },
  reserved: [String],
});

/** How far the job has moved the values of renamed fields (features/records/rename-moves.ts). */
const progressSchema = schema({
  /** When every server knew of the renames, by MongoDB's clock. Absent while that is not sure. */
  knownAt: Date,
  /** The place of the pass: 0 (absent) is in the records, 1 in the kept submissions. */
  part: Number,
  /** Those of the part from the newest one to this id were visited. */
  position: UUID,
  /** Whether this pass began when no write of an earlier version was in flight any more. */
  isFinal: Boolean,
  /** The records that were moved in this pass. */
  moved: Number,
  /** The visited records of the first pass, and those that there were when it began. */
  done: Number,
  total: Number,
});
type StoredProgress = DocumentOf<typeof progressSchema>;
export type MoveProgress = StoredProgress & Required<Pick<StoredProgress, 'done' | 'total'>>;

/** A search for late writes under the old keys of renamed fields. */
const checkSchema = schema({
  /** When it begins, by MongoDB's clock. */
  at: { type: Date, required: true },
  /** The number of those that are done. */
  done: { type: Number, required: true },
  /** Its place, as in {@link MoveProgress}. */
  part: Number,
  position: UUID,
});
export type RenameCheck = DocumentOf<typeof checkSchema>;

declare module '../../core/schemas/schemas.model.ts' {
  interface SchemaDocument {
    /** The fields that this version renamed. */
    renames?: Rename[];
    /**
     * The renames whose values are being moved. Versions that follow meanwhile have them too. One
     * document holds the schema and its renames, so both take effect at once.
     */
    moving?: PendingRenames;
    /** In the version that named the renames in `moving`; at first it has `knownAt` only. */
    progress?: StoredProgress;
    /** In a version whose renames have ended: the next search for values under the old keys. */
    check?: RenameCheck;
  }
  interface StoredSchema {
    /** The renames whose values are being moved, if any. */
    moving?: PendingRenames | undefined;
  }
}

declare module '../../core/schemas/schema-leases.ts' {
  interface Lease {
    /** The renames whose values are being moved, if any. */
    renames?: PendingRenames | undefined;
  }
}

declare module '../../core/users/record-part.ts' {
  interface RecordPart {
    /** Its members that have the keys of fields: a rename of a field renames these too. */
    readonly keyed?: readonly string[];
  }
}

declare module '../../core/schemas/schema-part.ts' {
  interface SchemaChange {
    /** The fields whose stored values move to another key. */
    renames?: readonly Rename[] | undefined;
  }
}

/** The renames of fields (spec 4.4): stored values move later, as decision 22 says. */
export const renamePart: SchemaPart = {
  members: {
    renames: [renameSchema],
    moving: pendingRenamesSchema,
    progress: progressSchema,
    check: checkSchema,
  },
  // For the apps whose renames are in progress: none, as a rule.
  indexes: [
    [{ 'moving.version': 1 }, { sparse: true }],
    [{ 'check.at': 1 }, { sparse: true }],
  ],

  read: ({ moving }) => ({ moving }),

  /**
   * @throws {InvalidInput} when the renames do not lead from the newest fields to the next ones
   * @throws {Conflict} when values still move for an earlier rename that these touch
   */
  extend({ renames = [] }, { version, fields }, { schema: newest, moving: earlier }) {
    const wrong = renameIssues(renames, newest.fields, fields);
    if (wrong.length > 0) throw new InvalidInput('invalidSchema', wrong);
    refuseEarly(earlier, renames, fields);
    if (renames.length === 0) return earlier ? { moving: earlier } : {};
    return { renames: [...renames], moving: resolveRenames(version, renames, fields) };
  },

  lease: ({ moving }) => moving && { renames: moving },

  /** While values move, data may have an old key in place of the new one. */
  rule: ({ moving, schema: { rejectUnknown } }) =>
    moving && {
      read: (sent) => (rejectUnknown ? sent : underNewKeys(sent, moving)),
      issues: (data) => oldKeyIssues(data, moving),
    },
};

/** Refuses what a rename whose values are still being moved does not allow (spec 4.4, rule 8). */
function refuseEarly(
  earlier: PendingRenames | undefined,
  renames: readonly Rename[],
  fields: readonly { key: string }[],
): void {
  if (!earlier) return;
  const reused = fields.find(({ key }) => earlier.pairs.some(({ from }) => from === key));
  if (renames.length === 0 && !reused) return;
  const { version } = earlier;
  throw new Conflict(
    reused ? say('renamedKeyInUse', { version, key: reused.key }) : say('renamesPending', { version }),
  );
}
