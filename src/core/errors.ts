/**
 * Every code a run or a call can fail with, in one table: the codes of the service's document, the tool codes
 * of E4, and our own. Retries, the handling of unclear outcomes, the command line and the docs all read it.
 */

/** What the product knows about one error code. */
export interface ErrorRule {
  /** One sentence for people: what happened. */
  readonly explanation: string
  /** What the reader does next. */
  readonly next: string
  /** Worth repeating without a change: the default of a step's `retry.errors`. */
  readonly isTransient: boolean
  /**
   * The failure proves that the operation was not executed. Without this proof a failed `create` is an
   * `OutcomeUnknown` and is never repeated.
   */
  readonly provesNotExecuted: boolean
}

/** A code of the service's document. Source: the API document, "Error codes". */
export type ServiceErrorCode = CodeIn<typeof serviceErrors>

/** A code that E4 reports inside an HTTP 200. Source: the API document, E4; the service notes. */
export type ToolErrorCode = CodeIn<typeof toolErrors>

/** A code of our own. */
export type OwnErrorCode = CodeIn<typeof ownErrors>

type CodeIn<Table> = { [Kind in keyof Table]: keyof Table[Kind] }[keyof Table] & string

/** The tables list the codes by these kinds. */
const kinds = {
  refused: { isTransient: false, provesNotExecuted: true },
  refusedForNow: { isTransient: true, provesNotExecuted: true },
  unclear: { isTransient: true, provesNotExecuted: false },
  unclearForGood: { isTransient: false, provesNotExecuted: false },
} as const

/** The codes of the service's document, `OK` left out. Source: the API document, "Error codes". */
const serviceErrors = {
  refused: {
    InvalidParameter: {
      explanation: 'A parameter is missing or malformed.',
      next: 'Correct the argument that the message names.',
    },
    BadRequest: {
      explanation: 'The service could not read the request.',
      next: 'Check the arguments against `opsbook actions NAME`.',
    },
    InvalidContentType: {
      explanation: 'The request did not arrive as JSON.',
      next: 'Look for a proxy that rewrites requests.',
    },
    ResourceNotFound: {
      explanation: 'The named resource does not exist or is not visible to this key.',
      next: 'Check the id and that the connection belongs to the right account.',
    },
    NoLicense: {
      explanation: 'The account has no licence for this operation.',
      next: 'Ask the account owner.',
    },
    ReferenceExist: {
      explanation: 'Something else still refers to the resource.',
      next: 'Remove the reference first.',
    },
    Unauthorized: {
      explanation: 'The app key is missing or not valid.',
      next: 'Check the key of the connection with `opsbook doctor`.',
    },
    BalanceNotEnough: {
      explanation: 'The account balance does not cover the operation.',
      next: 'Ask the account owner.',
    },
    AccessDenied: {
      explanation: 'The key is valid but lacks the permission for this operation.',
      next: 'Use a key whose owner holds the permission that `opsbook actions NAME` shows.',
    },
    RouteNotFound: {
      explanation: 'The address has no such operation.',
      next: 'Check the base URL of the connection.',
    },
    MethodNotAllowed: {
      explanation: 'The address does not accept this method.',
      next: 'Look for a proxy or redirect that rewrites requests.',
    },
    UndonedOrderExist: {
      explanation: 'The account has an order that is not finished.',
      next: 'Finish or cancel the order in the console.',
    },
    EntityTooLarge: {
      explanation: 'The request body is too large.',
      next: 'Send less in one call.',
    },
    RequestVerifyRequired: {
      explanation: 'The service asks for a verification by a person.',
      next: 'Do this operation in the console once.',
    },
    DangerousOperation: {
      explanation: 'The service refuses the operation as dangerous without confirmation.',
      next: 'Do this operation in the console once.',
    },
  },
  refusedForNow: {
    RequestLocked: {
      explanation: 'Another request holds a lock on the resource.',
      next: 'Try again in a few seconds.',
    },
    RequestTooFrequently: {
      explanation: 'A rate limit was hit and the time allowed for waiting is used up.',
      next: 'Raise `throttle.max-wait`, or find out what else calls: for the same account, or with `core/http` the same server.',
    },
  },
  unclear: {
    InternalError: {
      explanation: 'The service failed unexpectedly.',
      next: 'Quote the request id when you report it.',
    },
    ServiceUnavailable: {
      explanation: 'The service is temporarily unavailable.',
      next: 'Try again later.',
    },
  },
} as const

/** Codes that E4 reports inside an HTTP 200: for the whole request or for one tool. An open set. */
const toolErrors = {
  refused: {
    ambiguous_target_kind: {
      explanation: 'The locator matches objects of several kinds.',
      next: 'Give `target_kind`; the error lists the kinds.',
    },
    invalid_args: {
      explanation: 'The tool does not accept these params.',
      next: "Compare them with the tool's `input_schema` in the catalog.",
    },
    unknown_tool: {
      explanation: 'The agent has no tool of this name.',
      next: 'List the tools with `opsbook call monit/tools/catalog`.',
    },
    unknown_tool_version: {
      explanation: 'The agent has no tool of this version.',
      next: 'Update the agent.',
    },
    edge_unsupported: {
      explanation: 'The edge the object is connected to cannot run this tool.',
      next: 'Update the edge or leave the tool out.',
    },
    target_not_owned: {
      explanation: 'The object belongs to another account.',
      next: 'Check the connection and the locator.',
    },
    denied: {
      explanation: 'The agent refuses to run this tool.',
      next: "Check the agent's allow list.",
    },
    permission_denied: {
      explanation: 'The agent lacks the right to run this tool on the host.',
      next: 'Check the user the agent runs as.',
    },
    credential_unavailable: {
      explanation: 'The agent has no credential for the object.',
      next: 'Configure the credential on the agent.',
    },
  },
  unclear: {
    target_unavailable: {
      explanation: 'The monitored object cannot be reached through any agent right now.',
      next: 'Check that the agent on the host runs.',
    },
    unknown_toolset_hash: {
      explanation: 'The agent and the service disagree about the set of tools.',
      next: 'Try again. If it persists, update the agent.',
    },
    forward_failed: {
      explanation: 'The service could not forward the request to the agent.',
      next: 'Try again in a few seconds.',
    },
    target_unreachable: {
      explanation: 'The agent could not reach the object that the tool examines.',
      next: 'Check the object itself; this is often the finding.',
    },
    timeout: {
      explanation: 'The tool did not finish in its own time.',
      next: 'Try again, or ask the tool for less.',
    },
    overloaded: {
      explanation: 'The agent is busy with another call to this object.',
      next: 'Try again; calls to one object go one after another.',
    },
    internal: {
      explanation: 'The tool failed inside the agent.',
      next: 'Try again. If it persists, report it with the request id.',
    },
    wrong_agent: {
      explanation: 'The agent that answered does not watch this object.',
      next: 'Try again in a few seconds.',
    },
  },
  unclearForGood: {
    invalid_tool_result: {
      explanation: 'The agent answered with something that is not a tool result.',
      next: 'Report it with the request id.',
    },
  },
} as const

/** Codes of our own. */
const ownErrors = {
  refused: {
    InvalidInput: {
      explanation: 'The arguments break a rule that was checked before sending; nothing was sent.',
      next: 'Correct the argument that the message names.',
    },
    MissingKey: {
      explanation: 'No app key is configured for the connection.',
      next: 'Set OPSBOOK_BASE_URL and OPSBOOK_APP_KEY, or try with --sandbox.',
    },
    MissingSecret: {
      explanation:
        'A secret of the runbook or of a connection has no value here, or one that is too short to mask. Nothing was sent.',
      next: 'Set what the message names. A secret of the runbook is in `secrets` of opsbook.yaml. A value has 4 characters or more.',
    },
    TlsFailed: {
      explanation: 'The TLS handshake failed; nothing was sent.',
      next: 'Check the certificate of the server and the clock of this machine. An authority of your own belongs into `tls.ca` of the connection, or into NODE_EXTRA_CA_CERTS.',
    },
    ProxyRefused: {
      explanation: 'The proxy refused to connect to the service; nothing was sent.',
      next: 'Check HTTP_PROXY, HTTPS_PROXY, NO_PROXY and the credentials in them.',
    },
    AddressNotAllowed: {
      explanation:
        'The host of a `core/http` step, or of its connection, leads to an address that `http` of `opsbook.yaml` does not allow. Nothing was sent.',
      next: 'Correct the address, or add the host or its network to `http.allow`.',
    },
    LoginRefused: {
      explanation:
        'The server that gives tokens to an HTTP connection refused to give one. Nothing else was sent.',
      next: 'Check the client id, the client secret and the scope of the connection in opsbook.yaml; "opsbook doctor" tries it.',
    },
    OutsideSandbox: {
      explanation:
        'The run uses a sandbox, and one of its steps would leave it: `core/http`, `core/command`, or a custom action. Nothing was sent.',
      next: 'Skip the step with its `if`, or give `--allow-outside`: requests and messages then leave the sandbox.',
    },
    CommandFailed: {
      explanation:
        'The command of a `core/command` step has ended with an exit code that is not in `ok`. It ran, and what it did stays.',
      next: 'Read the end of its stderr, or of its stdout, in the report. If the exit code is no failure, add it to `ok`.',
    },
    CommandNotAllowed: {
      explanation:
        '`commands` of `opsbook.yaml` does not allow the command of a `core/command` step on its machine. Nothing was run.',
      next: 'Correct `on` of the step, or allow the machine in `commands` on the machine that makes the calls.',
    },
    HttpRefused: {
      explanation:
        'The server of a `core/http` step refused the request, with a status from 400 to 499. A 429 is `RequestTooFrequently`, a 408 `HttpFailed`.',
      next: 'Read its answer in the report and correct the request. If the status is no failure, add it to `ok`.',
    },
    QueryFailed: {
      explanation: 'The datasource answered, and its answer says that the query failed.',
      next: 'Correct the expression; the message is the datasource’s own.',
    },
    FileNotWritten: {
      explanation: 'A file could not be written.',
      next: 'Check free space and permissions of the folder that the message names.',
    },
    RepeatedCrash: {
      explanation:
        'The process that ran it died three times while a call of the run was in flight. `serve` leaves the run alone.',
      next: 'Find out what the call does to the process: `opsbook show RUN` names it. Then `opsbook resume RUN`, or `opsbook cancel RUN`.',
    },
    RunInUse: {
      explanation: 'Another process is executing the run.',
      next: 'Wait for it to end, or stop that process first.',
    },
    ConcurrencyConflict: {
      explanation: 'Another run of the runbook with the same `concurrency` key is active.',
      next: 'Wait for its end with `opsbook watch RUN`, or end it with `opsbook cancel RUN`.',
    },
    CopiedJournal: {
      explanation:
        'The database is a copy, or was restored from a backup. It may lack some of what its runs have done.',
      next: 'Resume with --from-copy if nothing has been done in the original since the copy was made.',
    },
    TemporalNotInstalled: {
      explanation:
        "The packages of Temporal's SDK are not installed: Opsbook installs them only in its checkout.",
      next: 'Install them where Opsbook is installed; the error shows the command.',
    },
    TemporalUnavailable: {
      explanation: 'No Temporal server answers, and none could be found or downloaded.',
      next: 'Name a running server in TEMPORAL_ADDRESS, or start one with `opsbook dev`. If that finds no server program, install the command line tool of Temporal and run `opsbook dev` again.',
    },
    TemporalTlsFailed: {
      explanation:
        'No TLS connection to the Temporal server can be made: it speaks no TLS, or one side refuses the certificate of the other.',
      next: 'The error says which; check TEMPORAL_ADDRESS and the TEMPORAL_TLS variables.',
    },
    TemporalDenied: {
      explanation: 'The Temporal server refuses access to the namespace.',
      next: 'Check TEMPORAL_API_KEY and the TEMPORAL_TLS variables, and what they are allowed to do.',
    },
    NamespaceNotFound: {
      explanation: 'The Temporal server does not have the namespace.',
      next: 'Name another one in TEMPORAL_NAMESPACE or in `temporal` of opsbook.yaml, or make it: `temporal operator namespace create`.',
    },
    SearchAttributesMissing: {
      explanation: 'The namespace does not have the search attributes that runs are listed by.',
      next: 'Register them once: `opsbook temporal setup`.',
    },
    WrongTaskQueue: {
      explanation:
        'The Temporal task queue belongs to another service, or to a sandbox: the worker must not continue its runs.',
      next: 'Name another task queue with `OPSBOOK_TASK_QUEUE`, or stop its workers and start this one with `--claim-queue`.',
    },
    RunUnanswerable: {
      explanation:
        'The run was ended on the Temporal server while no worker could replay it. The server cannot answer questions about such a run.',
      next: 'Look at its history in the web UI of the server, and start the runbook anew.',
    },
    PlanTooLarge: {
      explanation: 'The plan and the inputs of a run are larger than a Temporal server takes.',
      next: 'Put long texts into files or actions, split the runbook, or run it with `--engine embedded`.',
    },
    ExpressionFailed: {
      explanation: 'An expression could not be evaluated on the values of this run.',
      next: 'Correct the expression, or the value that the message names. Guard what may be missing with `has` or `default`.',
    },
    ExpressionTooCostly: {
      explanation: 'An expression needs more computing steps, or creates more data, than allowed.',
      next: 'Filter earlier, or split the work over several steps.',
    },
    ExpectationFailed: {
      explanation: 'The outputs of a step do not meet `expect`.',
      next: 'Compare the outputs of the step with the condition in the message.',
    },
    AssertionFailed: {
      explanation: 'A condition of `core/assert` does not hold.',
      next: 'Make the condition true, or start the runbook with other inputs. Without a `message` of the step, the error quotes the condition.',
    },
    ApprovalRejected: {
      explanation: 'The approver rejected the step.',
      next: 'The comment gives the reason. `opsbook resume RUN` asks again.',
    },
    ApprovalTimeout: {
      explanation: 'The question was not answered in time.',
      next: 'Resume the run and answer, or give more time.',
    },
    ApprovalStale: {
      explanation: 'A call is not the one that was approved. Nothing was sent, and the run asked again.',
      next: 'Compare the fields that are named, and answer the question for the present calls.',
    },
    AskTimeout: {
      explanation: 'The values that a step asks for were not given in time.',
      next: 'Resume the run and answer, give more time, or write a `default` with `on-timeout: default`.',
    },
    ListenTimeout: {
      explanation: 'No event that the step waits for came in time.',
      next: 'Look with `opsbook events` whether it came, and what it holds. Resume the run to wait again, or give more time.',
    },
    NoPublicUrl: {
      explanation:
        'A step waits for a callback, and the configuration does not say under which address `serve` can be reached.',
      next: 'Set `public-url` under `serve` in `opsbook.yaml`, with Temporal also `callback-key`, on every machine that executes runs. Then start again, or resume the run.',
    },
    DecidedFailed: {
      explanation: 'The outcome of the call was unknown, and a person decided that it had not been executed.',
      next: 'Resume the run to make the call again.',
    },
    PlanDrift: {
      explanation: 'The journal and the runbook disagree about what a step does.',
      next: 'If the message names a step, resume with --repeat or --keep for it. Otherwise resume with the runbook that the run has.',
    },
  },
  refusedForNow: {
    NameNotFound: {
      explanation: 'The host name of the address cannot be resolved.',
      next: 'Check the base URL of the connection, or the `url` of the step, and the name service.',
    },
    ConnectionRefused: {
      explanation: 'Nothing accepts connections at the address.',
      next: 'Check the address, the network and the proxy variables.',
    },
    ConnectTimeout: {
      explanation: 'No connection could be made in time; nothing was sent.',
      next: 'Check the network and the proxy variables.',
    },
    CommandNotStarted: {
      explanation: 'No shell answers on the machine of a `core/command` step. Nothing was run.',
      next: 'Try `ssh` by hand, as the user that runs Opsbook: the host, the key, and `known_hosts`.',
    },
    NoWorker: {
      explanation: 'No worker polls the task queue, so no process executes the run or answers for it.',
      next: 'Start one, `opsbook worker`, with the same server, namespace and task queue.',
    },
    CodeCannotReplay: {
      explanation: 'A worker has taken the run, and its code cannot replay the history of the run.',
      next: 'Start workers whose code fits, and stop the others: the run then continues. `opsbook replay-check` shows which code fits; `opsbook cancel RUN --now` ends the run.',
    },
    BuildIsGone: {
      explanation: 'The run is pinned to a build of the workers, and no worker of that build is running.',
      next: 'Start a worker of that build: the run then continues. `opsbook cancel RUN --now` ends the run.',
    },
  },
  unclear: {
    ConnectionLost: {
      explanation: 'The connection broke after the request was sent and before the answer was complete.',
      next: 'For a create, find out whether it was executed before you repeat it.',
    },
    AttemptTimeout: {
      explanation: 'No complete answer came within the time allowed for one attempt.',
      next: 'Raise `attempt-timeout`, or check the service.',
    },
    ForeignAnswer: {
      explanation: 'Something other than the service answered, such as a gateway or a login page.',
      next: 'Check the base URL and the proxy; open the base URL from this machine.',
    },
    HttpFailed: {
      explanation:
        'The server of a `core/http` step answered with a status that is not in `ok`. It may have executed the request.',
      next: 'Read its answer in the report. If the status is no failure, add it to `ok`.',
    },
    TruncatedExport: {
      explanation: 'The exported record is incomplete.',
      next: 'Export again; the partial file is kept with the ending `.partial`.',
    },
  },
  unclearForGood: {
    InvalidAnswer: {
      explanation: 'The answer does not have the documented form.',
      next: 'Quote the request id when you report it.',
    },
    AnswerTooLarge: {
      explanation: 'The answer is larger than the client accepts.',
      next: 'Ask for less; `maxAnswerBytes` of the client is the limit for operations of the service.',
    },
    RedirectRefused: {
      explanation:
        'The address answered with a redirect. Following it would send keys to another address. Some servers redirect after they have executed the request.',
      next: 'Name the final address: in the base URL of the connection, or in the `url` of the step.',
    },
    PayloadUnreadable: {
      explanation:
        'Data on the Temporal server is damaged, not encrypted, for another run, or encrypted with a key that is missing here.',
      next: 'Give every worker and every command the same keys in OPSBOOK_TEMPORAL_KEYS, including earlier ones.',
    },
    DataDirUnusable: {
      explanation: 'The data directory cannot be used.',
      next: 'Check free space and permissions, or name another one with --data-dir.',
    },
    ActionFailed: {
      explanation: 'A custom action failed without a code of its own.',
      next: 'Read the message: it is the error that the action threw.',
    },
    TooManyFailures: {
      explanation: 'More items failed than `tolerate` allows.',
      next: '`opsbook show RUN --full` shows the calls of all items, and with `--output json` their whole answers.',
    },
    StepTimeout: {
      explanation: 'A step worked longer than its `timeout`. Time in which it waited does not count.',
      next: 'Find out what took so long, or raise the `timeout` of the step.',
    },
    RunTimeout: {
      explanation:
        'The run worked longer than the `timeout` of the runbook. Time in which it waited does not count.',
      next: 'Find out what took so long, or raise the `timeout` of the runbook.',
    },
    RepeatTimeout: {
      explanation: 'The condition that a step polls for was not met within `max-wait`.',
      next: 'Look at the last outputs of the step, or raise `repeat.max-wait`.',
    },
    TooManyTurns: {
      explanation:
        'A repeated block has had all turns that `at-most` permits, and its `until` was never true.',
      next: 'Look at the steps of the last turn. To let the run have more turns, raise `at-most`, and resume with `--runbook`.',
    },
    OutputTooLarge: {
      explanation:
        'The outputs of a step are larger than 512 KiB, or an answer is larger than 1 MiB or nested deeper than 100 levels. The step itself has been executed.',
      next: 'Write them to a file with `save-as`, keep less of them with `outputs`, or ask for less.',
    },
    RunStateTooLarge: {
      explanation:
        'The outputs that later steps can still read are larger than 1 MiB in total. On Temporal, also: the state of a long run is too large for its next execution (2 MiB).',
      next: 'Write large outputs to files with `save-as`, or keep less with `outputs`. In a loop, also let fewer items run at the same time with `max-parallel`.',
    },
    OutcomeUnknown: {
      explanation:
        'A create was sent and its answer was lost, or its run was reset on the Temporal server: it may or may not have been executed.',
      next: 'Find out by hand whether it exists. If a run made the call, record it with "opsbook decide".',
    },
    Cancelled: {
      explanation: 'The call was cancelled.',
      next: 'Start again when you are ready.',
    },
    Interrupted: {
      explanation: 'The process was stopped before the run had ended.',
      next: 'Continue with `opsbook resume RUN`.',
    },
    InternalDefect: {
      explanation: 'Opsbook itself failed: a defect.',
      next: 'Report it with the message and the journal of the run.',
    },
  },
} as const

type Told = Pick<ErrorRule, 'explanation' | 'next'>
type Table = { readonly [kind in keyof typeof kinds]?: Readonly<Record<string, Told>> }

function rulesIn(table: Table): Readonly<Record<string, ErrorRule>> {
  const kindsIn = Object.entries(table) as readonly [keyof typeof kinds, Readonly<Record<string, Told>>][]
  return Object.fromEntries(
    kindsIn.flatMap(([kind, codes]) =>
      Object.entries(codes).map(([code, told]) => [code, { ...told, ...kinds[kind] }]),
    ),
  )
}

const serviceRules = rulesIn(serviceErrors)
const toolRules = rulesIn(toolErrors)
const ownRules = rulesIn(ownErrors)

/** Every known code with its rule. */
export const errorRules: Readonly<Record<KnownErrorCode, ErrorRule>> = {
  ...serviceRules,
  ...toolRules,
  ...ownRules,
} as Record<KnownErrorCode, ErrorRule>

/** A code that the table knows. Answers may carry others: the sets of the service are open. */
export type KnownErrorCode = ServiceErrorCode | ToolErrorCode | OwnErrorCode

/** Any error code: a known one, or one that only the service knows. */
export type ErrorCode = KnownErrorCode | (string & {})

const unknownCode: ErrorRule = {
  explanation: 'The code comes from the runbook, from a custom action, or from a newer service.',
  next: '',
  ...kinds.unclearForGood,
}

/** Whether a service can refuse a call with this code: none of our own, and one that proves that nothing was executed. */
export function isRefusalOfService(code: string): code is ServiceErrorCode {
  return (
    Object.hasOwn(serviceRules, code) && errorRule(code).provesNotExecuted && code !== 'RequestTooFrequently'
  )
}

/** The rule of any code. A code without a rule is never repeated and proves nothing. */
export function errorRule(code: ErrorCode): ErrorRule {
  return Object.hasOwn(errorRules, code) ? errorRules[code as KnownErrorCode] : unknownCode
}

/** A code that one tool or one call of E4 reports, as against one that the service or we report for a request. */
export function isToolErrorCode(code: ErrorCode): code is ToolErrorCode {
  return Object.hasOwn(toolRules, code)
}

/** A code of our own, which no service can report. */
export function isOwnErrorCode(code: ErrorCode): code is OwnErrorCode {
  return Object.hasOwn(ownRules, code)
}
