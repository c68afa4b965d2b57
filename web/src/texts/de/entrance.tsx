import type { entrance as en } from '../en/entrance.tsx';

export const entrance: typeof en = {
  noTokenNote:
    'Öffnen Sie den Link, den Sie erhalten haben, noch einmal. Zu Ihrer Sicherheit behält die Adresszeile den Link ' +
    'nicht.',
  goneTitle: 'Dieser Link funktioniert nicht mehr',
  goneNote: 'Der Link wurde verwendet, zurückgezogen oder ist abgelaufen. Bitten Sie um einen neuen Link.',
  goToDashboard: 'Zum Dashboard',

  resetTitle: 'Neues Passwort wählen',
  resetNote: 'Alle Sitzungen Ihres Kontos enden.',
  saveAndLogIn: 'Speichern und anmelden',
  newPassword: 'Neues Passwort',
  newPasswordNote: (minimum) => `Mindestens ${minimum} Zeichen. Einige Wörter lassen sich leicht merken.`,
  logInAgain: 'Melden Sie sich erneut an.',

  linkTitle: 'Mit einem Link anmelden',
  linkNote: 'Dieser Link meldet Sie einmal an, ohne Passwort.',
  invalidLink: 'Dieser Link ist nicht gültig.',

  invitedTitle: 'Zugang einrichten',
  invitedBy: 'Eingeladen von',
  loading: 'Wird geladen',
  invitation: 'Ihre Einladung',
  app: 'App',
  role: 'Rolle',
  for: 'Für',
  administrator: 'Administrator',
  administratorMeaning: 'Sie können in jeder App alles ändern und andere einladen.',
  member: 'Mitglied',
  memberMeaning: 'Sie erhalten ein Konto. Ein Verwalter oder ein Administrator fügt Sie später zu Apps hinzu.',
  roles: {
    viewer: { name: 'Betrachter', meaning: 'Sie können Personen, Diagramme und zurückgehaltene Einsendungen lesen.' },
    editor: {
      name: 'Bearbeiter',
      meaning: 'Sie können Personen lesen, ändern, endgültig löschen, importieren und exportieren.',
    },
    manager: { name: 'Verwalter', meaning: 'Sie können in der App alles ändern und andere einladen.' },
  },
  hasAccount: (email) => (
    <>
      <strong>{email}</strong> hat ein Konto. Melden Sie sich an, um die Einladung anzunehmen. Ihr Name und Ihr Passwort
      bleiben, wie sie sind.
    </>
  ),
  otherAccountTitle: 'Sie verwenden ein anderes Konto',
  otherAccountNote: (email) => (
    <>
      Sie sind als <strong>{email}</strong> angemeldet. Um diese Einladung anzunehmen, melden Sie sich zuerst ab.
    </>
  ),
  logOutAndContinue: 'Abmelden und fortfahren',
  loggedInAs: (name, email) => (
    <>
      Sie sind als <strong>{name}</strong> ({email}) angemeldet.
    </>
  ),
  accept: 'Einladung annehmen',
  useOtherAccount: 'Anderes Konto verwenden',
  createAccount: 'Konto erstellen',
  usePasskey: 'Stattdessen einen Passkey verwenden',
  yourName: 'Ihr Name',
  yourNameNote: 'Die Mitglieder Ihrer Apps sehen diesen Namen.',

  passkeyReady:
    'Ihr Passkey ist bereit. Sie können diese Wiederherstellungscodes verwenden, wenn Sie auch ein Passwort gewählt ' +
    'haben.',
  accountCreated: 'Ihr Konto ist erstellt. Folgen Sie nun den Schritten Ihres Browsers, um den Passkey zu erstellen.',
  noPasskeyTitle: 'Ihr Konto hat noch keinen Passkey',
  noPasskeyNote: (problem) => `${problem} Ohne Passkey oder Passwort können Sie sich nicht wieder anmelden.`,
  tooLate: 'Mehr als zehn Minuten sind vergangen. Bitten Sie Ihren Administrator um einen Link zur Anmeldung.',
  sessionEnded: 'Ihre Sitzung ist beendet. Bitten Sie Ihren Administrator um einen Link zur Anmeldung.',
  choosePassword: 'Passwort wählen',
  savePassword: 'Passwort speichern',
  savePasswordNote:
    'Sie melden sich mit Ihrer E-Mail und diesem Passwort an. Einen Passkey können Sie später hinzufügen.',
  backToPasskey: 'Zurück zum Passkey',
};
