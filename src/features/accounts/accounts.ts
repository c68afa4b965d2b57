import type { Apps } from '../../core/apps/apps.ts';
import type { Feature } from '../../core/feature.ts';
import { SESSION_LIFETIME_MS } from '../../core/sessions/sessions.model.ts';
import type { SessionService } from '../../core/sessions/sessions.service.ts';
import type { Config } from '../../platform/core/config.ts';
import type { Logger } from '../../platform/core/logger.ts';
import type { Connection } from '../../platform/database/client.ts';
import { ownedBy } from '../../platform/database/removal.ts';
import { createMailer } from '../../platform/mail/mailer.ts';
import type { AppReads } from '../app-administration/app-reads.ts';
import { createAccessStore } from './access.ts';
import { createAccountStore } from './account-documents.ts';
import { createAccountMail } from './account-mail.ts';
import { createAccountSessions } from './account-sessions.ts';
import type { AccountOwned } from './account-status.ts';
import { createAccountStatus } from './account-status.ts';
import { createAccountModels } from './accounts.model.ts';
import { createAccountService } from './accounts.service.ts';
import { createLoginChallenges } from './challenges.ts';
import { createInvitations } from './invitations.ts';
import { logInRoutes } from './log-in.routes.ts';
import { createLogInService } from './log-in.service.ts';
import { createPasskeys } from './passkeys.ts';
import { createRoles } from './roles.ts';
import { createSecondFactors } from './second-factor.ts';

export type Accounts = ReturnType<typeof createAccounts>;

/** Creates the accounts, their access to apps and the invitations (spec 4.13). */
export function createAccounts(deps: {
  connection: Connection;
  apps: Pick<Apps, 'service' | 'hasher'>;
  appReads: Pick<AppReads, 'named'>;
  config: Pick<Config, 'mail' | 'oidc' | 'publicUrl' | 'sessionCookieName'>;
  logger: Logger;
  sessions: SessionService;
  /** As in `createAccountSessions`. */
  endSessionUrl: (() => Promise<string | undefined>) | undefined;
  /** Signs challenges. */
  secret: string;
  /** Returns what is removed with an account. */
  owned(): readonly AccountOwned[];
}) {
  const { connection, apps, config, logger, sessions, endSessionUrl, secret, owned } = deps;
  const models = createAccountModels(connection);
  const store = createAccountStore(models.accounts, SESSION_LIFETIME_MS);
  const access = createAccessStore(models.access);
  const mailer = config.mail && createMailer(config.mail);
  const mail = createAccountMail(mailer, logger);
  const { publicUrl, oidc, sessionCookieName: cookieName } = config;
  const signOnOnly = oidc?.only ?? false;
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
    appReads: deps.appReads,
    roles,
    signOnOnly,
  });
  const logIns = createLogInService({ accounts: service, store, roles, apps: apps.service, sessions });
  const own = createAccountSessions({ accounts: service, logIns, endSessionUrl, cookieName, signOnOnly });

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
    logIns,
    enter: own.enter,
    store,
    access,
    roles,
    invitations,
    mail,
    challenges,
    feature: {
      routes: logInRoutes(service, logIns, own, publicUrl),
      sessions: own.part,
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
