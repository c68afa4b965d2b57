import type { schemaEditor as en } from '../en/schema-editor.tsx';
import { formatNumber, plural } from '../format.ts';

export const schemaEditor: typeof en = {
  goToApps: 'Zu den Apps',
  liveVersionNote: (version) => `Schemaversion ${version} · aktiv`,
  connectForm: 'Formular teilen',
  titles: {
    fields: 'Felder',
    texts: 'Texte',
    design: 'Gestaltung',
    json: 'Felder als JSON',
    versions: 'Versionen',
  },
  mode: 'Was Sie mit dem Formular tun',
  edit: 'Bearbeiten',
  tryIt: 'Ausprobieren',
  properties: 'Eigenschaften des Feldes',
  closeProperties: 'Eigenschaften schließen',
  chooseField:
    'Wählen Sie ein Feld des Formulars, um es zu bearbeiten. Titel, Beschreibung und Schaltfläche bearbeiten Sie im Formular.',
  addDescription: 'Beschreibung hinzufügen',
  emailIsFixed: 'Jedes Formular fragt nach der E-Mail-Adresse',
  more: 'Weitere Optionen',
  hidden: 'Versteckt',

  preview: 'Vorschau',
  noChanges: 'Keine Änderungen',
  savedToo: (names) => `Ebenfalls gespeichert: ${names}`,
  invalidFields: (count) => plural(count, { one: '# ungültiges Feld', other: '# ungültige Felder' }),
  review: 'Prüfen und speichern',

  otherVersionSaved: (version, own) =>
    `Jemand anderes hat Version ${version} gespeichert, während Sie Version ${own} bearbeitet haben.`,
  merge: 'Zusammenführen …',
  mergeTitle: (version) => `Ihren Entwurf mit Version ${version} zusammenführen`,
  sameFields: 'Beide haben dieselben Felder.',
  mergeNote: 'Wählen Sie für jedes Feld. Gespeichert wird erst, wenn Sie das Ergebnis geprüft haben.',
  discardDraft: 'Meinen Entwurf verwerfen',
  mergeIntoDraft: 'In meinen Entwurf übernehmen',
  changedByBoth: 'Von beiden geändert',
  sides: { mine: 'Mein Entwurf', theirs: 'Gespeicherte Version' },
  notChanged: 'Nicht geändert',
  unknownFields: 'Unbekannte Felder',
  areRejected: 'werden abgelehnt',
  areAccepted: 'werden angenommen',

  moved: (label, position, count) => `${label} ist jetzt an Position ${position} von ${count}`,
  noFields: 'Noch keine Felder. Das Formular fragt nur nach der E-Mail-Adresse.',
  removed: (label) => `„${label}“ wurde entfernt.`,
  addField: 'Feld hinzufügen',
  rejectUnknown: 'Unbekannte Felder ablehnen',

  unnamed: 'Feld ohne Namen',
  invalid: 'Ungültig',
  required: 'Pflichtfeld',
  moveUp: (name) => `${name} nach oben verschieben`,
  moveDown: (name) => `${name} nach unten verschieben`,
  duplicate: (name) => `${name} duplizieren`,
  remove: (name) => `${name} entfernen`,
  copyOf: (label) => `${label} (Kopie)`,

  label: 'Beschriftung',
  labelNote: 'Wird in Formularen und im Dashboard angezeigt',
  checkboxLabelNote: 'Wird in Formularen und im Dashboard angezeigt. **fett**, *kursiv*, [Link](https://…)',
  key: 'Schlüssel',
  keyNote: 'Name der Eigenschaft in den gesendeten Daten',
  type: 'Typ',
  mustBeChecked: 'Muss angekreuzt sein',
  staffOnly: 'Nur Ihr Team kann das setzen',
  staffOnlyNote: 'Es steht nicht im Formular. Ein neuer Datensatz beginnt mit dem Vorgabewert.',
  staff: 'Ihr Team',

  choicesNote: 'Wert eingeben und die Eingabetaste drücken, oder eine Liste mit einem Wert je Zeile einfügen',
  standard: 'Standard',
  noLimit: 'Unbegrenzt',
  consentVersion: 'Version',
  consentPage: 'Seite mit dem Text',
  noDefault: 'Keiner',
  checked: 'Angekreuzt',
  notChecked: 'Nicht angekreuzt',
  endOf: (end) => (end === 'min' ? 'Niedrigster Wert' : 'Höchster Wert'),
  labelOfEmpty: 'Beschriftung des leeren Werts',
  labelOf: (choice) => `Beschriftung von ${choice}`,

  invalidNotShown: 'Ungültige Felder werden nicht angezeigt.',
  previewNote: 'Probieren Sie aus, was das Formular annimmt. Es wird nichts gesendet.',
  accepted: 'Diese Einsendung würde angenommen.',
  rejected: (problems) =>
    plural(problems, {
      one: 'Diese Einsendung würde abgelehnt: # Problem.',
      other: 'Diese Einsendung würde abgelehnt: # Probleme.',
    }),

  jsonNote: (request) => (
    <>Der Inhalt der Anfrage {request}. Sie können ihn bearbeiten, kopieren oder ein Schema einfügen.</>
  ),
  schemaAsJson: 'Schema als JSON',
  notApplied: 'Das Schema ist ungültig und wurde nicht übernommen',
  invalidJson: 'Ungültiges JSON',
  jsonNotApplied: 'JSON nicht übernommen',
  jsonFirst:
    'Der Text im Tab JSON ist noch kein gültiges Schema. Korrigieren oder verwerfen Sie ihn, um die Felder zu bearbeiten.',
  goToJson: 'Zum Tab JSON',
  notAnObject: 'Das Schema muss ein Objekt sein',
  unknownProperty: (name) => `${name} ist keine bekannte Eigenschaft`,
  notBoolean: 'rejectUnknown muss true oder false sein',
  tooManyFields: (max) => `darf höchstens ${formatNumber(max)} Einträge haben`,

  version: (version) => `Version ${version}`,
  liveVersion: (version) => `Version ${version} · aktiv`,
  by: (author) => `Autor: ${author}`,
  loaded: (version) => `Version ${version} ist in den Editor geladen`,
  loadedNote: 'Prüfen und speichern Sie sie, damit sie aktiv wird',
  changesFrom: (version) => `Änderungen gegenüber Version ${version}`,
  firstVersion: 'Erste Version',
  load: 'In den Editor laden',

  saveVersion: (version) => `Version ${version} speichern`,
  valuesOf: (key) => `Gespeicherte Werte von ${key}`,
  keepData: 'Daten behalten',
  keepDataNote: (key) => `Die Werte werden im Hintergrund nach ${key} verschoben`,
  startEmpty: 'Leer beginnen',
  startEmptyNote: (key) => `Die Werte bleiben unter ${key}; dieses Feld gibt es dann nicht mehr`,
  checking: 'Gespeicherte Datensätze werden geprüft …',
  mustWait: 'Diese Umbenennung muss warten',
  mustWaitNote:
    'Die Werte einer früheren Umbenennung werden noch verschoben. Speichern Sie die Version, wenn alle verschoben sind.',
  notSaved: 'Das Schema konnte nicht gespeichert werden',
  keepEditing: 'Weiter bearbeiten',
  saved: (version) => `Schemaversion ${version} ist aktiv`,
  savedNote: 'Neue Einsendungen werden damit geprüft',
  moving:
    'Solange Werte verschoben werden, kann kein anderes Feld samt seinen Daten umbenannt werden. Andere Änderungen ' +
    'können gespeichert werden.',
  movingFrom: (keys) =>
    'Solange Werte verschoben werden, kann kein anderes Feld samt seinen Daten umbenannt werden, und kein Feld kann ' +
    `den Schlüssel ${keys} haben. Andere Änderungen können gespeichert werden.`,

  noRecords: 'Diese App hat noch keine gespeicherten Datensätze.',
  onlyMatches: 'Der gespeicherte Datensatz entspricht dem neuen Schema.',
  allMatch: (checked) =>
    plural(checked, {
      one: 'Der einzige gespeicherte Datensatz entspricht dem neuen Schema.',
      other: 'Alle # gespeicherten Datensätze entsprechen dem neuen Schema.',
    }),
  newestMatch: (checked) =>
    plural(checked, {
      one: 'Der neueste gespeicherte Datensatz entspricht dem neuen Schema.',
      other: 'Die # neuesten gespeicherten Datensätze entsprechen dem neuen Schema.',
    }),
  olderNotChecked: 'Für die Prüfung der älteren Datensätze reichte die Zeit nicht.',
  alreadyFailing: (count) =>
    plural(count, {
      one: '# weiterer Datensatz verstößt schon gegen das aktive Schema.',
      other: '# weitere Datensätze verstoßen schon gegen das aktive Schema.',
    }),
  recordsStay:
    'Gespeicherte Datensätze werden nicht geändert, aber spätere Einsendungen müssen dem neuen Schema entsprechen.',
  onlyFails: 'Der einzige gespeicherte Datensatz würde ungültig',
  allFail: (checked) =>
    plural(checked, {
      one: 'Der einzige gespeicherte Datensatz würde ungültig',
      other: 'Alle # gespeicherten Datensätze würden ungültig',
    }),
  allNewestFail: (checked) =>
    plural(checked, {
      one: 'Der neueste gespeicherte Datensatz würde ungültig',
      other: 'Alle # neuesten gespeicherten Datensätze würden ungültig',
    }),
  noneFails: (checked) =>
    plural(checked, {
      one: 'Der einzige gespeicherte Datensatz würde nicht ungültig',
      other: 'Keiner der # gespeicherten Datensätze würde ungültig',
    }),
  noneOfNewestFails: (checked) =>
    plural(checked, {
      one: 'Der neueste gespeicherte Datensatz würde nicht ungültig',
      other: 'Keiner der # neuesten gespeicherten Datensätze würde ungültig',
    }),
  someFail: (failing, checked) =>
    plural(failing, {
      one: `# von ${formatNumber(checked)} gespeicherten Datensätzen würde ungültig`,
      other: `# von ${formatNumber(checked)} gespeicherten Datensätzen würden ungültig`,
    }),
  someOfNewestFail: (failing, checked) =>
    plural(failing, {
      one: `# der ${formatNumber(checked)} neuesten gespeicherten Datensätze würde ungültig`,
      other: `# der ${formatNumber(checked)} neuesten gespeicherten Datensätze würden ungültig`,
    }),

  breaking: 'Nicht abwärtskompatibel',
  changes: {
    removedRejected: (field) =>
      `${field} entfernt: Einsendungen mit diesem Feld werden abgelehnt; gespeicherte Werte bleiben erhalten`,
    removedAccepted: (field) =>
      `${field} entfernt: Einsendungen können das Feld weiterhin enthalten, es wird aber nicht geprüft; gespeicherte ` +
      'Werte bleiben erhalten',
    added: (field, kind) => `${field} hinzugefügt (${kind})`,
    addedRequired: (field, kind) =>
      `${field} hinzugefügt (${kind}, Pflichtfeld): Einsendungen ohne dieses Feld werden abgelehnt`,
    keyMoved: (field, from, to) =>
      `${field}: Schlüssel geändert: ${from} → ${to}; gespeicherte Werte werden zum neuen Schlüssel verschoben`,
    keyChanged: (field, from, to) =>
      `${field}: Schlüssel geändert: ${from} → ${to}; gespeicherte Werte bleiben unter dem alten Schlüssel`,
    label: (field, from, to) => `${field}: Beschriftung geändert: „${from}“ → „${to}“`,
    type: (field, from, to) => `${field}: Typ geändert: ${from} → ${to}`,
    required: (field) => `${field} ist jetzt ein Pflichtfeld`,
    notRequired: (field) => `${field} ist kein Pflichtfeld mehr`,
    staffOnly: (field) => `${field} kann jetzt nur Ihr Team setzen: Einsendungen mit dem Feld werden abgelehnt`,
    everyone: (field) => `${field} können jetzt alle setzen`,
    limit: (field, limit, from, to) => `${field}: ${limit} geändert: ${from} → ${to}`,
    limits: {
      minLength: 'Mindestlänge',
      maxLength: 'Höchstlänge',
      minItems: 'Mindestanzahl',
      maxItems: 'Höchstanzahl',
      min: 'Mindestwert',
      max: 'Höchstwert',
      earliest: 'frühestes Datum',
      latest: 'spätestes Datum',
    },
    noLimit: 'unbegrenzt',
    pattern: (field, from, to) => `${field}: Muster geändert: ${from} → ${to}`,
    indexed: (field) => `${field} ist jetzt indexiert`,
    notIndexed: (field) => `${field} ist nicht mehr indexiert`,
    choicesRemoved: (field, choices) => `${field} erlaubt nicht mehr: ${choices}`,
    choicesAdded: (field, choices) => `${field} erlaubt jetzt auch: ${choices}`,
    option: (field, option) => `${field}: Formularoption „${option}“ geändert`,
    optionValue: (field, option, from, to) => `${field}: Formularoption „${option}“ geändert: ${from} → ${to}`,
    order: 'Reihenfolge der Felder geändert',
    unknownRejected: 'Unbekannte Felder werden jetzt abgelehnt',
    unknownAccepted: 'Unbekannte Felder werden jetzt angenommen und gespeichert',
    none: 'nicht gesetzt',
    yes: 'ja',
    no: 'nein',
  },
  quoted: (text) => `„${text}“`,
  labelAndKey: (label, key) => `„${label}“ (${key})`,
};
