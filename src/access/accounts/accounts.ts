import type { Apps } from '../../apps/apps.ts';
import { type AccountOwned, type Feature, ownedBy } from '../../apps/feature.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import { createMailer } from '../../platform/mail/mailer.ts';
import { createAccessStore } from './access.ts';
import { createAccountStore } from './account-documents.ts';
import { createAccountMail } from './account-mail.ts';
import { createAccountStatus } from './account-status.ts';
import { createAccountModels } from './accounts.model.ts';
import { createAccountService } from './accounts.service.ts';
import { createLoginChallenges } from './challenges.ts';
import { createInvitations } from './invitations.ts';
import { createPasskeys } from './passkeys.ts';
import { createRoles } from './roles.ts';
import { createSecondFactors } from './second-factor.ts';

export type Accounts = ReturnType<typeof createAccounts>;

/** Creates the accounts, their access to apps and the invitations (spec 4.13). */
export function createAccounts(deps: {
  connection: Connection;
  apps: Pick<Apps, 'service' | 'hasher'>;
  config: Pick<Config, 'mail' | 'oidc' | 'publicUrl'>;
  logger: Logger;
  /** The lifetime of a session, in milliseconds. */
  sessionMs: number;
  /** Signs challenges. */
  secret: string;
  /** Returns what is removed with an account. */
  owned(): readonly AccountOwned[];
}) {
  const { connection, apps, config, logger, sessionMs, secret, owned } = deps;
  const models = createAccountModels(connection);
  const store = createAccountStore(models.accounts, sessionMs);
  const access = createAccessStore(models.access);
  const mailer = config.mail && createMailer(config.mail);
  const mail = createAccountMail(mailer, logger);
  const { publicUrl, oidc } = config;
  const roles = createRoles(access, apps.service, oidc?.roleMap ?? []);
  const invitations = createInvitations(models.invitations, store, roles, apps.service);
  const status = createAccountStatus({ store, access, invitations, owned });
  const challenges = createLoginChallenges(secret, models.used);
  const service = createAccountService({
    store,
    access,
    invitations,
    status,
    factors: createSecondFactors(store),
    mail,
    publicUrl,
    passkeys: createPasskeys(store, challenges),
    hasher: apps.hasher,
    apps: apps.service,
    roles,
    signOnOnly: oidc?.only ?? false,
  });

  /** Ends entries of the list that a stopped process or another role map left. */
  async function checkAdminsByGroups(): Promise<void> {
    for (const id of await access.listByGroups()) {
      const account = await store.findById(id);
      if (!roles.isAdminBy(account?.groups?.names)) await access.retractByGroups(id);
    }
  }

  return {
    status,
    service,
    store,
    access,
    roles,
    invitations,
    mail,
    challenges,
    feature: {
      models: Object.values(models),
      owned: [
        ownedBy(models.access.collection, 'createdAt'),
        ownedBy(models.invitations.collection, 'createdAt', { of: (appId) => ({ 'app.id': appId }) }),
      ],
      names: { accounts: store.named, invitations: invitations.named },
      prepare: checkAdminsByGroups,
      close: () => mailer?.close(),
    } satisfies Feature,
  };
}
