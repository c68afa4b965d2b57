import type { account as en } from '../en/account.tsx';
import { plural } from '../format.ts';

export const account: typeof en = {
  title: 'Ihr Konto',
  singleSignOn: 'Single Sign-on',
  logIn: 'Anmeldung',
  logInBy: (provider) =>
    `Sie melden sich mit ${provider} an. Ihr Passwort und Ihr zweiter Faktor werden dort verwaltet.`,

  saveName: 'Name speichern',
  yourName: 'Ihr Name',
  nameSaved: 'Name gespeichert',
  shownAs: (name) => `Sie werden als ${name} angezeigt`,

  password: 'Passwort',
  passwordNote: 'Mit der Änderung enden alle Ihre anderen Sitzungen.',
  noPassword:
    'Ihr Konto hat noch kein Passwort. Mit einem Passwort können Sie sich auf jedem Gerät anmelden und Ihre ' +
    'Wiederherstellungscodes benutzen.',
  currentPassword: 'Bisheriges Passwort',
  showCurrentPassword: 'Bisheriges Passwort anzeigen',
  newPassword: 'Neues Passwort',
  passwordRule: 'Mindestens 12 Zeichen.',
  showNewPassword: 'Neues Passwort anzeigen',
  passwordProblem: (problem) => `Das Passwort ${problem}.`,
  replacePassword: 'Passwort ersetzen',
  passwordReplaced: 'Passwort ersetzt',
  otherSessionsEnded: 'Alle Ihre anderen Sitzungen sind beendet',

  passkeys: 'Passkeys',
  passkeysNote:
    'Mit einem Passkey melden Sie sich ohne Passwort an: mit der Bildschirmsperre Ihres Geräts oder mit einem ' +
    'Sicherheitsschlüssel.',
  codesLeft: (count) =>
    plural(count, { one: '# Wiederherstellungscode übrig.', other: '# Wiederherstellungscodes übrig.' }),
  addPasskey: 'Passkey hinzufügen',
  addPasskeyTitle: 'Einen Passkey hinzufügen',
  passkeyAdded: 'Passkey hinzugefügt',
  passkeyAddedNote: 'Sie können sich jetzt damit anmelden',
  passkeyRefused: (reason) => `Sie können keinen Passkey hinzufügen: ${reason}.`,
  noPasskeysHere:
    'Hier können Sie keinen Passkey hinzufügen: Dafür muss Ihr Browser Passkeys unterstützen und diese Seite über ' +
    'HTTPS unter einem Hostnamen geöffnet sein.',
  passkeyUsed: (added, lastUsed) => (
    <>
      Hinzugefügt: {added}, zuletzt benutzt: {lastUsed}
    </>
  ),
  passkeyUnused: (added) => <>Hinzugefügt: {added}, noch nicht benutzt</>,
  removePasskey: (name) => `Passkey entfernen: ${name}`,
  passkeyNameNote: 'Steht in Ihrer Liste der Passkeys, zum Beispiel der Name des Geräts.',
  passkeyNext: 'Ihr Browser fragt dann, wo er den Passkey speichern soll.',
  removePasskeyTitle: 'Diesen Passkey entfernen?',
  removePasskeyNote: (name) => (
    <>
      Mit <strong>{name}</strong> ist dann keine Anmeldung mehr möglich. Löschen Sie den Passkey auch auf Ihrem Gerät.
    </>
  ),
  removeOnlyFactorNote: (name) => (
    <>
      Mit <strong>{name}</strong> ist dann keine Anmeldung mehr möglich. Ihr Passwort allein öffnet dann Ihr Konto, und
      die Wiederherstellungscodes gelten nicht mehr. Löschen Sie den Passkey auch auf Ihrem Gerät.
    </>
  ),

  device: (browser, system) => `${browser} auf ${system}`,
  unknownDevice: 'Unbekanntes Gerät',

  authenticator: 'Authenticator-App',
  on: 'Ein',
  off: 'Aus',
  authenticatorOn: 'Zur Anmeldung brauchen Sie Ihr Passwort und einen Code aus der App.',
  authenticatorOff:
    'Eine App auf Ihrem Telefon zeigt Codes. Zur Anmeldung brauchen Sie dann Ihr Passwort und einen Code.',
  addAuthenticator: 'Authenticator-App hinzufügen',
  addAuthenticatorTitle: 'Eine Authenticator-App hinzufügen',
  removeAuthenticator: 'Authenticator-App entfernen',
  removeAuthenticatorTitle: 'Die Authenticator-App entfernen?',
  passkeysStay: 'Ihre Passkeys bleiben Ihr zweiter Faktor, und die Wiederherstellungscodes bleiben gültig.',
  passwordAlone: 'Ihr Passwort allein öffnet dann Ihr Konto. Die Wiederherstellungscodes gelten nicht mehr.',
  scan: 'Scannen Sie diesen QR-Code mit Ihrer Authenticator-App.',
  qrCode: 'Der Schlüssel als Bild für eine Kamera',
  howToAdd: (openApp) => <>Auf diesem Telefon: {openApp}. Ohne Kamera: Geben Sie diesen Schlüssel in der App ein.</>,
  openApp: 'Authenticator-App öffnen',
  code: 'Code',
  codeNote: 'Die sechs Ziffern, die die App jetzt zeigt.',
  logInAgain: 'Melden Sie sich erneut an.',
  turnOn: 'Einschalten',

  saveCodes: 'Wiederherstellungscodes aufbewahren',
  codesNote:
    'Wenn Sie weder Ihr Telefon noch Ihren Passkey haben, melden Sie sich mit Ihrem Passwort und einem dieser Codes ' +
    'an. Jeder Code gilt einmal.',
  codes: 'Wiederherstellungscodes',
  copyCodes: 'Codes kopieren',
  downloadCodes: 'Codes herunterladen',
  codesFile: 'wiederherstellungscodes.txt',
  keepCodes:
    'Bewahren Sie die Codes an einem Ort auf, den Sie ohne Ihr Telefon erreichen, zum Beispiel auf Papier oder in ' +
    'einem Passwortmanager.',

  sessions: 'Sitzungen',
  thisSession: 'Diese Sitzung',
  methods: {
    password: 'mit Passwort',
    link: 'über einen Link',
    invitation: 'über eine Einladung',
    passkey: 'mit Passkey',
    oidc: 'über Single Sign-on',
  },
  loggedIn: (method, at, ends) => (
    <>
      Anmeldung {method}: {at}, Ende: {ends}
    </>
  ),
  loggedInFrom: (method, at, address, ends) => (
    <>
      Anmeldung {method}: {at} von {address}, Ende: {ends}
    </>
  ),
  endSession: 'Sitzung beenden',
  endSessionOf: (device) => `Sitzung beenden: ${device}`,
  endOthers: 'Alle anderen beenden',
};
