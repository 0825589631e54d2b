/** Notifications before delivery. Without Node, so that the workflow can import it. */
export {
  type ComposeNotice,
  createOpenItems,
  type Notice,
  type NoticeDraft,
  type NoticeKind,
  noticeOfEnd,
  noticeOfQuestion,
  remindersOf,
} from './notice.ts'
