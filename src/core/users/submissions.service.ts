import { AppError, Unavailable } from '../../platform/core/errors.ts';
import type { Lease, SchemaLeases } from '../schemas/schema-leases.ts';
import { UnknownApp } from '../schemas/schemas.service.ts';
import { accept, type SubmissionInput, type SubmissionOptions, type SubmissionSource } from './acceptance.ts';
import { OutdatedSchema } from './conflict.ts';
import type { Submission, SubmissionFacts } from './submission.ts';
import type { StoredSubmission, SubmissionStore } from './submission-writes.ts';
import type { Users } from './users.ts';

/** How often one submission is validated again because its schema was replaced meanwhile. */
const MAX_SCHEMA_CHANGES = 5;

/**
 * What is done with one submission besides its validation: whether the app takes it, what its
 * values name, and how it is stored. Each method is called again under a later lease.
 */
export interface Handling {
  /** Reads the body under a lease. */
  read(source: SubmissionSource, lease: Lease): SubmissionInput | Promise<SubmissionInput>;
  /**
   * Decides whether the app takes the submission, and completes its values, before the validation.
   * @throws {AppError}
   */
  admit(sent: SubmissionInput, lease: Lease): SubmissionInput | Promise<SubmissionInput>;
  /** What is known of the submission besides its values. */
  facts(input: SubmissionInput, lease: Lease, now: Date): SubmissionFacts;
  /** Puts a valid submission where it waits, in place of the record; undefined: it is stored. */
  hold(submission: Submission, input: SubmissionInput, lease: Lease): Promise<StoredSubmission | undefined> | undefined;
  store(submission: Submission, input: SubmissionInput, lease: Lease): Promise<StoredSubmission>;
  /** Is called when the record has the submission. */
  stored(stored: StoredSubmission, lease: Lease): void;
  /** Answers a refused submission; undefined: it is validated again. @throws the refusal */
  refuse(error: unknown, input: SubmissionInput, lease: Lease): Promise<StoredSubmission | undefined>;
  /** Is called at the end, and delays the answer. */
  end(): Promise<void> | undefined;
}

/** The handling of the specification: a valid submission is stored. */
class Storing implements Handling {
  readonly #store: SubmissionStore;

  constructor(store: SubmissionStore) {
    this.#store = store;
  }

  read(source: SubmissionSource, lease: Lease): SubmissionInput | Promise<SubmissionInput> {
    return typeof source === 'function' ? source(lease) : source;
  }

  admit(sent: SubmissionInput): SubmissionInput {
    return sent;
  }

  facts(): SubmissionFacts {
    return {};
  }

  hold(): undefined {
    return undefined;
  }

  store(submission: Submission): Promise<StoredSubmission> {
    return this.#store.store(submission);
  }

  stored(): void {}

  async refuse(error: unknown): Promise<undefined> {
    throw error;
  }

  end(): undefined {
    return undefined;
  }
}

export type SubmissionService = ReturnType<typeof createSubmissionService>;

/**
 * The rules of submissions (spec 2.4 and 4.1).
 * @param deps.handle returns the handling of one submission, which has these options
 */
export function createSubmissionService(deps: {
  leases: SchemaLeases;
  users: Pick<Users, 'limits' | 'parts' | 'revalidation' | 'submissions'>;
  handle?: ((options: SubmissionOptions) => Handling) | undefined;
}) {
  const { leases, users, handle = () => new Storing(users.submissions) } = deps;
  const { revalidation } = users;

  async function submit(
    sourceAppId: string,
    source: SubmissionSource,
    options: SubmissionOptions,
    handling: Handling,
  ): Promise<StoredSubmission> {
    for (let attempt = 0; attempt < MAX_SCHEMA_CHANGES; attempt += 1) {
      const lease = await leases.hold(sourceAppId);
      if (!lease || (options.ofApp && !lease.app.id.equals(options.ofApp))) throw new UnknownApp();
      const read = handling.read(source, lease);
      let input = read instanceof Promise ? await read : read;
      let submission: Submission | undefined;
      try {
        const admitted = handling.admit(input, lease);
        input = admitted instanceof Promise ? await admitted : admitted;
        submission = accept(input, lease, users, options, (now) => handling.facts(input, lease, now));
        const holding = handling.hold(submission, input, lease);
        const held = holding && (await holding);
        if (held) return held;
        const stored = await handling.store(submission, input, lease);
        if (!lease.isCurrent()) await revalidation.revalidate(lease, submission);
        handling.stored(stored, lease);
        return stored;
      } catch (error) {
        if (error instanceof OutdatedSchema) leases.forget(sourceAppId);
        else {
          if (submission) revalidation.scheduleRepair(submission, lease);
          // After a refusal no write of it can follow.
          if (error instanceof AppError && error.status < 500) await submission?.claim?.giveBack();
          const answer = await handling.refuse(error, input, lease);
          if (answer) return answer;
        }
      }
    }
    throw new Unavailable('schemaChanging', 1);
  }

  return {
    /**
     * Validates a submission by the app's newest schema and stores it durably, exactly once (spec
     * 4.1), or does what its handling does instead.
     *
     * @throws {UnknownApp} when the id names no app
     * @throws {InvalidInput} with all problems of the email and of `data`
     * @throws {Conflict} when an array field would have too many items
     * @throws {TooLarge} when the record would exceed its size limit
     * @throws {AppError} when the handling or a part refuses it
     * @throws {Unavailable} when the submission was not acknowledged; it can be sent again
     */
    async submit(
      sourceAppId: string,
      source: SubmissionSource,
      options: SubmissionOptions = {},
    ): Promise<StoredSubmission> {
      const handling = handle(options);
      try {
        return await submit(sourceAppId, source, options, handling);
      } finally {
        const ended = handling.end();
        if (ended instanceof Promise) await ended;
      }
    },
  };
}
