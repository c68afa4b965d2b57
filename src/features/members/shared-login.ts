import type { ObjectId } from 'mongodb';
import type { AppPart } from '../../core/apps/app-part.ts';
import type { AppModel } from '../../core/apps/apps.model.ts';

declare module '../../core/apps/app.ts' {
  interface AppDocument {
    /**
     * False: the password and its sessions are refused. Copied from the app's members, which
     * decide.
     */
    sharedLogin?: boolean;
    /** The change of the members that was copied last. */
    sharedLoginEpoch?: number;
  }
}

const ALLOWED = { sharedLogin: { $ne: false } };

export const sharedLoginPart: AppPart = {
  members: { sharedLogin: Boolean, sharedLoginEpoch: Number },
  logInFilter: ALLOWED,
};

/** Reads and writes whether apps accept their password. */
export const createSharedLogins = (apps: AppModel) => ({
  /** Resolves with whether log-ins with the password of an app are accepted. */
  isAllowed: async (_id: ObjectId): Promise<boolean> =>
    (await apps.findOne({ _id, ...ALLOWED }, { projection: { _id: 1 } })) !== null,

  /** Allows or refuses the password, unless a later change of the members was copied. */
  async set(_id: ObjectId, enabled: boolean, epoch: number): Promise<void> {
    const older = { $or: [{ sharedLoginEpoch: { $exists: false } }, { sharedLoginEpoch: { $lt: epoch } }] };
    await apps.updateOne({ _id, ...older }, { $set: { sharedLogin: enabled, sharedLoginEpoch: epoch } });
  },
});
