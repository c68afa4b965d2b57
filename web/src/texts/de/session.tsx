import type { session as en } from '../en/session.tsx';

export const session: typeof en = {
  logIn: 'Anmelden',
  howToLogIn: 'Art der Anmeldung',
  asApp: 'Mit App',
  byEmail: 'Mit E-Mail',
  administratorNote: (idVariable, passwordVariable) => (
    <>
      <strong>Administrator?</strong> Beim ersten Start hat der Dienst im Terminal, unter der URL dieser Seite, einen
      Link zu Ihrem Konto sowie eine App-ID und ein Passwort ausgegeben. ID und Passwort lassen sich auch mit{' '}
      {idVariable} und {passwordVariable} festlegen.
    </>
  ),
  operatorNote: () => (
    <>
      <strong>Betreiber?</strong> Fragen Sie Ihren Administrator nach der App-ID und dem Passwort. Ein verlorenes
      Passwort lässt sich nicht wiederherstellen, aber ein Administrator kann ein neues erstellen.
    </>
  ),
  accountNote: () => (
    <>
      <strong>Noch kein Konto?</strong> Ein Verwalter Ihrer App oder ein Administrator lädt Sie ein. Sie erhalten einen
      Link, um ein Passwort oder einen Passkey zu wählen.
    </>
  ),
  signOnNote: () => (
    <>
      <strong>Noch kein Zugang?</strong> Bitten Sie Ihren Administrator um Zugang. Danach melden Sie sich hier mit dem
      Konto an, das Sie auch sonst verwenden.
    </>
  ),

  appId: 'App-ID',
  password: 'Passwort',
  showPassword: 'Passwort anzeigen',
  wrongAppIdOrPassword: 'App-ID oder Passwort ist falsch.',
  wrongEmailOrPassword: 'E-Mail oder Passwort ist falsch.',
  forgotPassword: 'Passwort vergessen?',
  forgotNote: 'Sie erhalten eine E-Mail mit einem Link, um ein neues Passwort zu wählen.',
  sendEmail: 'E-Mail senden',
  emailAsked: (email) => (
    <>
      Wenn es zu <strong>{email}</strong> ein Konto gibt, ist eine E-Mail mit einem Link unterwegs. Der Link gilt eine
      Stunde. Wenn keine E-Mail ankommt, bitten Sie Ihren Administrator um einen Link: Vielleicht kann dieser Dienst
      keine E-Mails senden.
    </>
  ),
  backToLogIn: 'Zurück zur Anmeldung',

  tooManyFailures: (wait) => `Zu viele fehlgeschlagene Anmeldungen. Versuchen Sie es in ${wait} erneut.`,
  tryAgainNow: 'Sie können es jetzt erneut versuchen.',
  checkConnection: (problem) => `${problem}. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.`,
  cookieRejected:
    'Die Anmeldung war richtig, aber der Browser hat das Cookie der Sitzung nicht gespeichert. Erlauben Sie Cookies ' +
    'für diese Website. Öffnen Sie das Dashboard im Produktivbetrieb über HTTPS.',
  problems: {
    sourceAppId: (problem) => `App-ID: ${problem}.`,
    password: (problem) => `Passwort: ${problem}.`,
    email: (problem) => `E-Mail: ${problem}.`,
    name: (problem) => `Name: ${problem}.`,
    code: (problem) => `Code: ${problem}.`,
  },

  or: 'oder',
  logInWithPasskey: 'Mit einem Passkey anmelden',
  unknownPasskey: 'Der Dienst kennt diesen Passkey nicht. Er wurde entfernt oder gehört zu einer anderen Adresse.',
  passkeyErrors: {
    notUsed:
      'Es wurde kein Passkey verwendet: Die Anfrage wurde abgebrochen, dauerte zu lange oder fand keinen Passkey auf ' +
      'diesem Gerät',
    notCreated: 'Es wurde kein Passkey erstellt: Die Anfrage wurde abgebrochen oder dauerte zu lange',
    exists: 'Dieses Gerät hat bereits einen Passkey Ihres Kontos',
    otherAddress: (host) =>
      `Passkeys funktionieren nur unter der Adresse des Dienstes: Öffnen Sie das Dashboard unter ${host}`,
    notSupported:
      'Dieses Gerät kann keinen Passkey speichern: Schalten Sie seine Bildschirmsperre ein oder verwenden Sie ein ' +
      'anderes Gerät',
    notSetUp: (problem) =>
      `Passkeys sind hier nicht eingerichtet. Melden Sie sich anders an und teilen Sie Ihrem Administrator mit: ${problem}`,
  },

  factors: {
    passkey: 'Einen Passkey verwenden',
    totp: 'Die Authenticator-App verwenden',
    recovery: 'Einen Wiederherstellungscode verwenden',
  },
  passkeyNote: 'Bestätigen Sie mit Ihrem Passkey, dass Sie es sind.',
  usePasskey: 'Passkey verwenden',
  noPasskeyHere: 'Ihr Passkey funktioniert nicht in diesem Browser oder nicht unter dieser Adresse.',
  codeNote: 'Geben Sie den Code ein, den Ihre Authenticator-App jetzt anzeigt.',
  recoveryNote: 'Geben Sie einen der Wiederherstellungscodes ein, die Sie gespeichert haben. Jeder gilt nur einmal.',
  code: 'Code',
  recoveryCode: 'Wiederherstellungscode',
  wrongCode:
    'Dieser Code ist falsch oder wurde schon verwendet. Geben Sie den nächsten Code der App ein. Gelingt das ' +
    'auch nicht, gehen Sie zurück und melden Sie sich neu an.',
  wrongRecoveryCode:
    'Dieser Wiederherstellungscode ist falsch oder wurde schon verwendet. Geben Sie einen anderen ein. Gelingt ' +
    'das auch nicht, gehen Sie zurück und melden Sie sich neu an.',
  continue: 'Weiter',

  confirmTitle: 'Bestätigen Sie, dass Sie es sind',
  endedTitle: 'Ihre Sitzung ist beendet',
  confirmNote:
    'Für diese Änderung müssen Sie sich in den letzten zehn Minuten angemeldet haben. Melden Sie sich dazu erneut an.',
  endedNote: 'Melden Sie sich erneut an, um fortzufahren.',
  leavesPage: (provider) =>
    `Die Anmeldung mit ${provider} führt von dieser Seite weg, und nicht gespeicherte Änderungen gehen verloren.`,
  keepsChanges: 'Ihre nicht gespeicherten Änderungen bleiben erhalten.',

  logInWith: (provider) => `Mit ${provider} anmelden`,
  refusals: {
    expired:
      'Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Fenster begonnen. Versuchen Sie es erneut.',
    failed:
      'Die Anmeldung ist nicht gelungen: Sie wurde abgebrochen, oder der Anbieter und dieser Dienst passen nicht ' +
      'zusammen. Versuchen Sie es erneut. Gelingt sie wieder nicht, wenden Sie sich an Ihren Administrator.',
    no_access:
      'Ihre Anmeldung war richtig, aber Sie haben hier keinen Zugang. Bitten Sie Ihren Administrator um eine ' +
      'Einladung an die E-Mail-Adresse, die Sie dort verwenden.',
    unavailable: 'Der Anbieter der Anmeldung ist zurzeit nicht erreichbar. Versuchen Sie es in einer Minute erneut.',
  },
};
