import type { ObjectId } from 'mongodb';
import type { AppDocument } from '../../core/apps/app.ts';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { RecordId } from '../../core/users/users.model.ts';
import { oneLine } from '../../platform/mail/content.ts';
import { type FormSettings, formHeading, settingsIn } from '../form-settings/form-settings.ts';

const MAX_TITLE = 100;

export interface MailApp {
  id: ObjectId;
  sourceAppId: string;
  form: FormSettings | undefined;
}

const PROJECTION = { sourceAppId: 1, form: 1 } as const;

export type MailApps = ReturnType<typeof createMailApps>;

/** Reads the apps of emails. An app that is being deleted is absent. */
export function createMailApps(apps: AppModel) {
  return {
    /** Resolves with these apps, by their ids in hexadecimal. */
    async ofIds(ids: readonly ObjectId[]): Promise<Map<string, MailApp>> {
      const filter = { _id: { $in: [...ids] }, ...NOT_BEING_DELETED };
      const found = await apps.find(filter, { projection: PROJECTION });
      return new Map(found.map((app) => [app._id.toHexString(), toMailApp(app)]));
    },

    async ofId(_id: ObjectId): Promise<MailApp | undefined> {
      const found = await apps.findOne({ _id, ...NOT_BEING_DELETED }, { projection: PROJECTION });
      return found ? toMailApp(found) : undefined;
    },

    async withDigest(): Promise<ObjectId[]> {
      const filter = { 'form.notify.when': 'daily' as const, ...NOT_BEING_DELETED };
      const found = await apps.find(filter, { projection: { _id: 1 } });
      return found.map(({ _id }) => _id);
    },
  };
}

function toMailApp({ _id, sourceAppId, form }: AppDocument): MailApp {
  return { id: _id, sourceAppId, form };
}

/** Returns the URL of the users of an app, or of one record; undefined without PUBLIC_URL. */
export function dashboardUrl(publicUrl: string | undefined, sourceAppId: string, id?: RecordId | string) {
  if (publicUrl === undefined) return undefined;
  const users = `${publicUrl}/dashboard/apps/${encodeURIComponent(sourceAppId)}/users`;
  return id === undefined ? users : `${users}/${id}`;
}

/** Returns the one-line name of an app in emails. @param tag the language of the email */
export function formTitle({ sourceAppId, form }: Pick<MailApp, 'sourceAppId' | 'form'>, tag = ''): string {
  return oneLine(formHeading(sourceAppId, form && settingsIn(form, tag)), MAX_TITLE) || sourceAppId;
}
