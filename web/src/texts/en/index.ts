import { account } from './account.tsx';
import { accounts } from './accounts.tsx';
import { apps } from './apps.tsx';
import { audit } from './audit.tsx';
import { backgroundWork } from './background-work.tsx';
import { connect } from './connect.tsx';
import { emails } from './emails.tsx';
import { first } from './first.ts';
import { firstForm } from './first-form.tsx';
import { held } from './held.tsx';
import { imports } from './import.tsx';
import { inbox } from './inbox.tsx';
import { keys } from './keys.tsx';
import { members } from './members.tsx';
import { overview } from './overview.tsx';
import { privacy } from './privacy.tsx';
import { record } from './record.tsx';
import { schemaEditor } from './schema-editor.tsx';
import { shell } from './shell.tsx';
import { users } from './users.tsx';
import { webhooks } from './webhooks.tsx';

/** The English texts, by the folder that shows them. */
export const en = {
  ...first,
  account,
  accounts,
  apps,
  audit,
  backgroundWork,
  connect,
  emails,
  firstForm,
  held,
  imports,
  inbox,
  keys,
  members,
  overview,
  privacy,
  record,
  schemaEditor,
  shell,
  users,
  webhooks,
};

/** What every language has. */
export type Texts = typeof en;
