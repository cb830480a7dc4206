// Generated from the Go types by `go run ./build types`. Do not edit.

export interface About {
  version: string;
  platform: string;
  data: string;
  native: boolean;
  locale: string;
  home: string;
  registry?: string;
  containment: Containment;
}

export interface Answer {
  decision: Decision;
  lasting: Lasting;
}

export interface AnswerQuestion {
  entry: string;
  answers: unknown[] | null;
}

export interface CallEntry {
  modelCallId?: string;
  name: string;
  address: string;
  title: string;
  extension?: string;
  args: unknown;
  phase?: string;
  progress?: Progress;
  log?: LogLine[];
  result?: unknown;
  resultBytes?: number;
  error?: Problem;
  startedAt?: number;
  durationMs?: number;
}

export interface CapabilityFile {
  path: string;
  label?: string;
  description?: string;
}

export interface Check {
  name: string;
  ok: boolean;
  required: boolean;
  detail: string;
  next?: string;
}

export interface Chosen {
  path: string;
}

export interface ChosenModel {
  baseURL: string;
  model: string;
  hasKey: boolean;
}

export interface Containment {
  level: string;
  what: string;
}

export interface Copy {
  extension: Extension;
  scope: Scope;
  projectDir?: string;
  origin: Origin;
  root: string;
  source: string;
  commit?: string;
  fingerprint?: string;
  installedAt?: string;
  enabled: boolean;
  files: number;
  bytes: number;
  dependencies?: Dependency[];
  problem?: Problem;
}

export interface DecidePermission {
  entry: string;
  answer: Answer;
}

export type Decision = "ask" | "allow" | "deny";

export interface Dependency {
  from: string;
  name: string;
  version: string;
  integrity?: string;
  native?: boolean;
  scripts?: boolean;
}

export interface Dialog {
  title: string;
}

export interface Display {
  kind: string;
  markdown?: string;
  dataB64?: string;
  mime?: string;
  alt?: string;
  columns?: string[];
  rows?: unknown[][];
  before?: string;
  after?: string;
  title?: string;
}

export interface Dropped {
  paths: string[] | null;
}

export type Effect = "reads" | "writes";

export interface Entry {
  id: string;
  session: string;
  seq: number;
  turn: string;
  kind: SessionKind;
  state: State;
  parent?: string;
  createdAt: number;
  text?: string;
  model?: string;
  call?: CallEntry;
  question?: QuestionEntry;
  permission?: PermissionEntry;
  schedule?: ScheduleEntry;
  display?: Display;
  problem?: Problem;
  matches?: MatchesEntry;
}

export interface Extension {
  id: string;
  format: Format;
  displayName: string;
  description: string;
  version?: string;
  publisher?: string;
  license?: string;
  homepage?: string;
  entry?: string;
  database?: boolean;
  tools: Tool[] | null;
  memories?: Memory[];
}

export interface ExtensionFile {
  ref: Ref;
  path: string;
}

export interface ExtensionRef {
  ref: Ref;
}

export interface ExtensionSwitch {
  ref: Ref;
  enabled: boolean;
}

export interface ExtensionView {
  extension: Extension;
  scope: Scope;
  projectDir?: string;
  origin: Origin;
  root: string;
  source: string;
  commit?: string;
  fingerprint?: string;
  installedAt?: string;
  enabled: boolean;
  files: number;
  bytes: number;
  dependencies?: Dependency[];
  problem?: Problem;
  toolViews: ToolView[] | null;
}

export interface File {
  path: string;
  bytes: number;
}

export interface FileText {
  text: string;
  truncated: boolean;
  binary: boolean;
}

export type Format = "loca" | "plugin" | "miniapp" | "pointman";

export interface Found {
  name: string;
  baseURL: string;
  models: string[] | null;
}

export interface Gone {
  id: string;
}

export interface GrantChoice {
  ref: Ref;
  tool: string;
  key: string;
  decision: Decision;
}

export interface HeardText {
  text: string;
}

export interface InSession {
  session: string;
}

export interface InstallRequest {
  source: string;
  scope?: Scope;
  project?: string;
  job: string;
  tools?: string[];
  fingerprint?: string;
}

export interface InstallStep {
  job: string;
  step: string;
  fraction: number;
  detail?: string;
  packages?: number;
  fetched?: number;
}

export interface Issue {
  place: string;
  what: string;
  warning?: boolean;
}

export interface Job {
  job: string;
}

export type Kind = "net" | "read" | "write" | "run" | "env" | "ffi" | "sys" | "memories" | "llm" | "tts" | "stt";

export interface Label {
  label: string;
  phrase?: string[];
}

export type Lasting = "once" | "session" | "always";

export interface Layout {
  layout: unknown;
}

export interface Limits {
  running: number;
  ahead: number;
  megabytes: number;
  cpuSeconds: number;
}

export interface Link {
  url: string;
}

export interface LogLine {
  at: number;
  level: string;
  message: string;
}

export interface MatchesEntry {
  of: number;
  tools: ToolMatch[] | null;
}

export interface Memory {
  kind: string;
  path: string;
}

export interface MemoryDraft {
  id?: string;
  title: string;
  kind: string;
  content: string;
  before?: string;
}

export interface MemoryFile {
  name: string;
  bytes: number;
}

export interface MemoryFileName {
  id: string;
  name: string;
}

export interface MemoryFileText {
  content: string;
}

export interface MemoryID {
  id: string;
}

export interface MemoryItem {
  id: string;
  title: string;
  kind: string;
  summary: string;
  owner: string;
  readOnly: boolean;
  enabled: boolean;
  updatedAtMs: number;
  bytes: number;
  problem?: Problem;
}

export interface MemoryList {
  items: MemoryItem[] | null;
  folder: string;
  watching: boolean;
  problem?: Problem;
}

export interface MemorySwitch {
  id: string;
  enabled: boolean;
}

export interface MemoryText {
  id: string;
  title: string;
  kind: string;
  content: string;
  readOnly: boolean;
  files: MemoryFile[] | null;
}

export interface MemoryUndo {
  undo: string;
}

export interface MenuAction {
  action: string;
}

export interface Message {
  session: string;
  text: string;
}

export type Mode = "plan" | "interactive" | "guided" | "autonomous";

export interface ModelChoice {
  baseURL: string;
  model: string;
}

export interface ModelKey {
  baseURL: string;
  key: string;
}

export interface NewSession {
  project?: string;
  mode?: Mode;
  model?: string;
}

export interface Option {
  label: string;
  value: string;
  description?: string;
}

export type Origin = "installed" | "linked" | "own" | "discovered";

export interface PauseSchedule {
  id: string;
  paused: boolean;
}

export interface Permission {
  kind: Kind;
  host?: string;
  ports?: string[];
  path?: string;
  binary?: string;
  envKey?: string;
  flag?: string;
  access?: string;
  reason: string;
  optional?: boolean;
}

export interface PermissionEntry {
  extension: string;
  address: string;
  permission: Permission;
  resolved?: string;
  risk: Risk;
  answer?: Answer;
}

export interface PermissionView {
  permission: Permission;
  key: string;
  resolved?: string;
  decision: Decision;
  risk: Risk;
}

export interface PreviewSchedule {
  draft: ScheduleDraft;
  most?: number;
}

export interface Problem {
  code: string;
  what: string;
  where?: string;
  next?: string;
  detail?: string;
  params?: Record<string, string>;
  issues?: Issue[];
}

export interface Progress {
  fraction: number;
  label?: string;
  description?: string;
}

export interface Question {
  kind?: string;
  question: string;
  options?: Option[];
  multiselect?: boolean;
  allowFreeformInput?: boolean;
  before?: string;
  after?: string;
  title?: string;
  entries?: CapabilityFile[];
  dataB64?: string;
  mime?: string;
  actions?: Option[];
  columns?: string[];
  rows?: unknown[][];
}

export interface QuestionEntry {
  extension: string;
  questions: Question[] | null;
  answers?: unknown[];
}

export interface Recording {
  dataB64: string;
  mime?: string;
  language?: string;
}

export interface Ref {
  scope: Scope;
  project?: string;
  format: Format;
  id: string;
}

export interface RenameSession {
  id: string;
  title: string;
}

export interface Review {
  source: string;
  extension: Extension;
  toolViews: ToolView[] | null;
  warnings?: Issue[];
  files: number;
  bytes: number;
  fingerprint: string;
  replaces?: Copy;
  containment: Containment;
}

export interface ReviewSchedule {
  entry: string;
  answer: ScheduleAnswer;
}

export interface Risk {
  code: string;
  level: string;
}

export interface RunTool {
  session: string;
  address: string;
  args: unknown;
}

export interface SaveSchedule {
  id?: string;
  draft: ScheduleDraft;
}

export interface Schedule {
  id: string;
  owner?: string;
  extension?: string;
  project?: string;
  draft: ScheduleDraft;
  paused: boolean;
  nextAt?: number;
  createdAt: number;
  updatedAt: number;
  last?: ScheduleRun;
}

export interface ScheduleAnswer {
  accepted: boolean;
  draft?: ScheduleDraft;
}

export type ScheduleCause = "onTime" | "madeUp" | "byPerson";

export interface ScheduleDraft {
  title: string;
  instruction: string;
  runMissed: boolean;
  schedule: ScheduleRecurrence;
}

export interface ScheduleEntry {
  extension: string;
  draft: ScheduleDraft;
  answer?: ScheduleAnswer;
}

export interface ScheduleID {
  id: string;
}

export type ScheduleKind = "once" | "interval" | "weekly" | "monthly" | "yearly";

export interface ScheduleRecurrence {
  kind: ScheduleKind;
  atMs?: number;
  everyMinutes?: number;
  weekdays?: number[];
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
}

export interface ScheduleRun {
  id: number;
  schedule: string;
  cause: ScheduleCause;
  state: ScheduleRunState;
  dueAt?: number;
  missed?: number;
  startedAt: number;
  endedAt?: number;
  session?: string;
  problem?: Problem;
}

export type ScheduleRunState = "started" | "finished" | "failed" | "missed" | "interrupted";

export type Scope = "agent" | "project";

export interface Scroll {
  entry?: string;
  offset?: number;
}

export interface Secret {
  name: string;
  value: string;
}

export interface SecretName {
  name: string;
}

export interface SecretValue {
  value: string;
}

export interface Server {
  baseURL: string;
}

export interface ServerStatus {
  hasKey: boolean;
}

export interface Session {
  id: string;
  title: string;
  project?: string;
  mode: Mode;
  model?: string;
  createdAt: number;
  updatedAt: number;
  draft?: string;
  scroll: Scroll;
  running: boolean;
  waiting: boolean;
}

export interface SessionChoice {
  id: string;
  mode?: Mode;
  model?: string;
}

export interface SessionID {
  id: string;
}

export type SessionKind = "person" | "agent" | "call" | "question" | "permission" | "schedule" | "display" | "problem" | "matches";

export interface SessionView {
  id: string;
  draft: string;
  scroll: Scroll;
}

export interface Settings {
  theme: string;
  language: string;
  zoom: number;
  stepLimit: number;
  workers: Limits;
}

export interface Sound {
  dataB64: string;
  mime: string;
  sampleRate: number;
}

export interface Source {
  source: string;
  scope?: Scope;
  project?: string;
}

export interface SpokenText {
  text: string;
}

export type State = "open" | "running" | "done" | "failed" | "cancelled" | "interrupted";

export interface TextDelta {
  session: string;
  entry: string;
  at: number;
  text: string;
}

export interface Tool {
  name: string;
  description: string;
  schema: unknown;
  function?: string;
  triggers?: string[];
  alwaysAvailable?: boolean;
  deferred?: boolean;
  idempotent?: boolean;
  effect: Effect;
  platforms?: string[];
  permissions?: Permission[];
  labels?: Record<string, Label>;
  timeLimit?: number;
}

export interface ToolMatch {
  address: string;
  title: string;
  description: string;
  extension: string;
  score: number;
  touches: boolean;
}

export interface ToolSwitch {
  ref: Ref;
  tool: string;
  enabled: boolean;
}

export interface ToolView {
  address: string;
  ref: Ref;
  extension: string;
  tool: Tool;
  title: string;
  enabled: boolean;
  available: boolean;
  permissions: PermissionView[] | null;
  problem?: Problem;
}

export interface Transcript {
  session: Session;
  entries: Entry[] | null;
}

export interface Turn {
  turn: string;
}

export interface VaultKept {
  kept: string;
}

export interface VaultName {
  name: string;
  kind: string;
  label: string;
  bytes: number;
  usedBy?: string;
}

export interface VaultPassphrase {
  passphrase: string;
}

export type VaultState = "ready" | "locked" | "missing" | "slow" | "passphrase" | "broken";

export interface VaultStatus {
  state: VaultState;
  words?: Problem;
  hasPassphrase: boolean;
  names: VaultName[] | null;
  damaged: string[] | null;
}

export interface VoiceFound {
  engine: string;
  name: string;
  ready: boolean;
  bytes: number;
  license: string;
  voices: VoiceName[] | null;
}

export interface VoiceListenSettings {
  on: boolean;
  engine: string;
  endpoint: string;
  model: string;
  program: string;
  arguments: string;
}

export interface VoiceName {
  id: string;
  name: string;
  language: string;
}

export interface VoiceSettings {
  speak: VoiceSpeakSettings;
  listen: VoiceListenSettings;
}

export interface VoiceSpeakSettings {
  on: boolean;
  engine: string;
  voice: string;
  rate: number;
  endpoint: string;
  model: string;
}

export interface VoiceStatus {
  speak: VoiceSpeakSettings;
  listen: VoiceListenSettings;
  found: VoiceFound[] | null;
}

export interface Methods {
  "chat.answer": { request: AnswerQuestion; answer: Record<string, never> };
  "chat.decide": { request: DecidePermission; answer: Record<string, never> };
  "chat.retry": { request: InSession; answer: Turn };
  "chat.run": { request: RunTool; answer: Turn };
  "chat.send": { request: Message; answer: Turn };
  "chat.stop": { request: InSession; answer: Record<string, never> };
  "extensions.cancelInstall": { request: Job; answer: Record<string, never> };
  "extensions.files": { request: ExtensionRef; answer: File[] };
  "extensions.install": { request: InstallRequest; answer: ExtensionView };
  "extensions.list": { request: Record<string, never>; answer: ExtensionView[] };
  "extensions.log": { request: ExtensionRef; answer: FileText };
  "extensions.openFolder": { request: ExtensionRef; answer: Record<string, never> };
  "extensions.readFile": { request: ExtensionFile; answer: FileText };
  "extensions.remove": { request: ExtensionRef; answer: Record<string, never> };
  "extensions.restoreBuiltIn": { request: Record<string, never>; answer: ExtensionView };
  "extensions.review": { request: Source; answer: Review };
  "extensions.setEnabled": { request: ExtensionSwitch; answer: ExtensionView };
  "extensions.setGrant": { request: GrantChoice; answer: ExtensionView };
  "memories.file": { request: MemoryFileName; answer: MemoryFileText };
  "memories.get": { request: MemoryID; answer: MemoryText };
  "memories.list": { request: Record<string, never>; answer: MemoryList };
  "memories.openFolder": { request: Record<string, never>; answer: Record<string, never> };
  "memories.remove": { request: MemoryID; answer: MemoryUndo };
  "memories.restore": { request: MemoryUndo; answer: MemoryItem };
  "memories.save": { request: MemoryDraft; answer: MemoryItem };
  "memories.setEnabled": { request: MemorySwitch; answer: MemoryItem };
  "models.clearKey": { request: Server; answer: ServerStatus };
  "models.discover": { request: Record<string, never>; answer: Found[] };
  "models.get": { request: Record<string, never>; answer: ChosenModel };
  "models.list": { request: Server; answer: string[] };
  "models.save": { request: ModelChoice; answer: ChosenModel };
  "models.setKey": { request: ModelKey; answer: ServerStatus };
  "schedules.history": { request: ScheduleID; answer: ScheduleRun[] };
  "schedules.list": { request: Record<string, never>; answer: Schedule[] };
  "schedules.pause": { request: PauseSchedule; answer: Schedule };
  "schedules.preview": { request: PreviewSchedule; answer: number[] };
  "schedules.remove": { request: ScheduleID; answer: Record<string, never> };
  "schedules.restore": { request: ScheduleID; answer: Schedule };
  "schedules.review": { request: ReviewSchedule; answer: Record<string, never> };
  "schedules.runNow": { request: ScheduleID; answer: ScheduleRun };
  "schedules.save": { request: SaveSchedule; answer: Schedule };
  "sessions.choose": { request: SessionChoice; answer: Session };
  "sessions.create": { request: NewSession; answer: Session };
  "sessions.delete": { request: SessionID; answer: Record<string, never> };
  "sessions.list": { request: Record<string, never>; answer: Session[] };
  "sessions.open": { request: SessionID; answer: Transcript };
  "sessions.rename": { request: RenameSession; answer: Session };
  "sessions.restore": { request: SessionID; answer: Session };
  "sessions.saveView": { request: SessionView; answer: Record<string, never> };
  "settings.get": { request: Record<string, never>; answer: Settings };
  "settings.layout": { request: Record<string, never>; answer: Layout };
  "settings.save": { request: Settings; answer: Settings };
  "settings.saveLayout": { request: Layout; answer: Record<string, never> };
  "system.about": { request: Record<string, never>; answer: About };
  "system.chooseFolder": { request: Dialog; answer: Chosen };
  "system.doctor": { request: Record<string, never>; answer: Check[] };
  "system.openLink": { request: Link; answer: Record<string, never> };
  "system.ready": { request: Record<string, never>; answer: Record<string, never> };
  "tools.list": { request: Record<string, never>; answer: ToolView[] };
  "tools.setEnabled": { request: ToolSwitch; answer: ToolView };
  "vault.remove": { request: SecretName; answer: Record<string, never> };
  "vault.retry": { request: Record<string, never>; answer: Record<string, never> };
  "vault.reveal": { request: SecretName; answer: SecretValue };
  "vault.set": { request: Secret; answer: Record<string, never> };
  "vault.setPassphrase": { request: VaultPassphrase; answer: Record<string, never> };
  "vault.startAnew": { request: VaultPassphrase; answer: VaultKept };
  "vault.status": { request: Record<string, never>; answer: VaultStatus };
  "vault.unlock": { request: VaultPassphrase; answer: Record<string, never> };
  "vault.useKeyring": { request: Record<string, never>; answer: Record<string, never> };
  "voice.fetch": { request: Job; answer: VoiceStatus };
  "voice.get": { request: Record<string, never>; answer: VoiceStatus };
  "voice.removeFetched": { request: Record<string, never>; answer: VoiceStatus };
  "voice.save": { request: VoiceSettings; answer: VoiceStatus };
  "voice.speak": { request: SpokenText; answer: Sound };
  "voice.transcribe": { request: Recording; answer: HeardText };
}

export type HostEvent =
  | { topic: "delta"; payload: TextDelta }
  | { topic: "drop"; payload: Dropped }
  | { topic: "entry"; payload: Entry }
  | { topic: "extensions"; payload: Record<string, never> }
  | { topic: "install"; payload: InstallStep }
  | { topic: "memories"; payload: Record<string, never> }
  | { topic: "menu"; payload: MenuAction }
  | { topic: "models"; payload: Record<string, never> }
  | { topic: "resync"; payload: Record<string, never> }
  | { topic: "schedules"; payload: Record<string, never> }
  | { topic: "session"; payload: Session }
  | { topic: "sessionGone"; payload: Gone }
  | { topic: "settings"; payload: Record<string, never> }
  | { topic: "vault"; payload: Record<string, never> }
  | { topic: "voice"; payload: Record<string, never> };

export interface Reply<T> {
  value?: T;
  problem?: Problem;
}
