import type { ZodType } from 'zod';
import { joinMembers, type Members } from '../../platform/database/members.ts';
import type { IndexDeclaration } from '../../platform/database/mongoose.ts';
import type { Validator } from '../fields/compile.ts';
import type { PendingRenames } from '../fields/renames.ts';
import { type App, type AppDocument, CORE_MEMBERS } from './app.ts';

/** What a feature adds to the stored app (decision 53). The core joins the parts and names none. */
export interface AppPart {
  /** Its members, which its file also adds to {@link AppDocument}. Other parts may read them. */
  readonly members?: Members;
  readonly indexes?: readonly IndexDeclaration[];
  /** Returns the members of an {@link App} that it reads of the stored one. */
  read?(stored: AppDocument): Partial<App>;
  /** Returns whether two reads of an app are the same state for a lease. */
  isSame?(one: App, other: App): boolean;
  /** Returns what a lease changes in the app because of its schema. Called once for each lease. */
  underSchema?(app: App, schema: LeasedSchema): Partial<App> | undefined;
  readonly creation?: CreationPart;
  readonly listing?: ListingPart;
}

/** What a part knows of the schema of a lease. `moving`: the renames whose values are moved. */
interface LeasedSchema {
  validator: Pick<Validator, 'fileKeys'>;
  moving?: PendingRenames | undefined;
}

/** What a part adds to the creation of an app. */
interface CreationPart {
  /** Members of the body. */
  readonly body: Readonly<Record<string, ZodType>>;
  /** Returns members of the new app; no two parts set one. @param sent the parsed body */
  members(sent: Readonly<Record<string, unknown>>): Partial<AppDocument>;
}

/** What a part adds to the list of apps. */
interface ListingPart {
  /** Members of a listed app, after its id. */
  readonly shown?: Readonly<Record<string, ZodType>>;
  /** Returns them; a member without a value is absent. */
  present?(app: App): Record<string, unknown>;
  /** The paths of texts that a search reads. */
  readonly searched?: readonly string[];
  /** Times by which apps can be sorted. */
  readonly times?: readonly AppTime[];
}

/** A member that the stored app and {@link App} have, whose value is a time. */
export type AppTime = keyof {
  [Name in keyof App & keyof AppDocument as App[Name] extends Date | undefined ? Name : never]: true;
} &
  string;

export type AppParts = ReturnType<typeof createAppParts>;

/** Joins the parts of all features. @throws {Error} when two of them have the same member */
export function createAppParts(parts: readonly AppPart[]) {
  const creations = parts.flatMap(({ creation }) => creation ?? []);
  const listings = parts.flatMap(({ listing }) => listing ?? []);
  return {
    /** Those of the core too. */
    members: joinMembers([CORE_MEMBERS, ...parts.map(({ members = {} }) => members)]),

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

    creation: {
      body: joined(creations.map(({ body }) => body)),
      members: (sent: Readonly<Record<string, unknown>>): Partial<AppDocument> =>
        Object.assign({}, ...creations.map((creation) => creation.members(sent))),
    },

    listing: {
      shown: joined(listings.map(({ shown = {} }) => shown)),
      present: (app: App): Record<string, unknown> =>
        Object.assign({}, ...listings.map((listing) => listing.present?.(app))),
      searched: listings.flatMap(({ searched = [] }) => searched),
      times: listings.flatMap(({ times = [] }) => times),
    },
  };
}

const joined = (shapes: readonly Readonly<Record<string, ZodType>>[]): Record<string, ZodType> =>
  Object.assign({}, ...shapes);
