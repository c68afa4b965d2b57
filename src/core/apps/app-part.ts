import type { Filter } from 'mongodb';
import { joinMembers, type Members } from '../../platform/database/members.ts';
import type { IndexDeclaration } from '../../platform/database/mongoose.ts';
import type { Validator } from '../fields/compile.ts';
import type { StoredSchema } from '../schemas/schemas.model.ts';
import { type App, type AppDocument, CORE_MEMBERS } from './app.ts';

/** What a feature adds to the stored app (decision 53). The core joins the parts and names none. */
export interface AppPart {
  /** Its members, which its file also adds to {@link AppDocument}. Other parts may read them. */
  readonly members?: Members;
  readonly indexes?: readonly IndexDeclaration[];
  /** Returns the members of an {@link App} that it reads of the stored one. */
  read?(stored: AppDocument): Partial<App>;
  /** What the stored app has to match for log-ins with its password, and for their sessions. */
  readonly logInFilter?: Filter<AppDocument>;
  /** Returns whether two reads of an app are the same state for a lease. */
  isSame?(one: App, other: App): boolean;
  /** Returns what a lease changes in the app because of its schema. Called once for each lease. */
  underSchema?(app: App, schema: LeasedSchema): Partial<App> | undefined;
}

/** What a part knows of the schema of a lease. */
interface LeasedSchema {
  validator: Pick<Validator, 'fileKeys'>;
  stored: StoredSchema;
}

const andOf = (filters: readonly Filter<AppDocument>[]): Filter<AppDocument> =>
  filters.length > 0 ? { $and: [...filters] } : {};

export type AppParts = ReturnType<typeof createAppParts>;

/** Joins the parts of all features. @throws {Error} when two of them have the same member */
export function createAppParts(parts: readonly AppPart[]) {
  return {
    /** Those of the core too. */
    members: joinMembers([CORE_MEMBERS, ...parts.map(({ members = {} }) => members)]),

    logInFilter: andOf(parts.flatMap(({ logInFilter = [] }) => logInFilter)),

    indexes: parts.flatMap(({ indexes = [] }) => indexes),

    /** Returns what the features read of a stored app. */
    toApp(stored: AppDocument): App {
      const { _id: id, sourceAppId, role, credentialId, createdAt } = stored;
      const app: App = { id, sourceAppId, role, credentialId, createdAt };
      for (const part of parts) Object.assign(app, part.read?.(stored));
      return app;
    },

    /** Returns whether a lease may rely on either of two reads of an app. */
    isSame: (one: App, other: App): boolean => parts.every((part) => part.isSame?.(one, other) ?? true),

    /** Returns the app of a lease on it and its schema. */
    underSchema: (app: App, schema: LeasedSchema): App =>
      Object.assign({}, app, ...parts.map((part) => part.underSchema?.(app, schema))),
  };
}
