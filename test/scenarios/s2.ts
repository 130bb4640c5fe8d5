/** S2: level by level parallel execution, file-conflict detection, the review between levels. */
import { replacedBy, requirementsOf, shown } from "./requirement.js";

const gitDecides = replacedBy(
  "DESIGN §2: git decides which files conflict; the agents' own reports are kept and compared",
);
const folders = replacedBy(
  "DESIGN §4: folders of a TypeScript package; the level review is src/hands/integration, its nouns are in src/model",
);

// One requirement, one line: the table is read by id, and its columns matter more than its width.
// oxfmt-ignore
export const s2 = requirementsOf([
  ["S2-001", "Problem Statement", "behaviour", "must", "Concurrent edits of one file by several ACs are caught between levels.", shown],
  ["S2-002", "Problem Statement", "behaviour", "must", "ACs that claim success although their work is incomplete are caught.", shown],
  ["S2-003", "Problem Statement", "behaviour", "must", "Gaps in the integration, where parallel work has to be stitched together, are caught.", shown],
  ["S2-004", "Problem Statement", "behaviour", "must", "Between two levels the Coordinator stands as an intelligent review gate.", shown],
  ["S2-005", "Design Decisions", "behaviour", "must", "An agent that has the Edit/Bash tools resolves conflicts automatically.", shown],
  ["S2-006", "Design Decisions", "field", "must", "A full agent reviews, with the tools Read, Bash, Edit, Grep, Glob.", shown],
  ["S2-007", "Design Decisions", "behaviour", "must", "extract_level_context() remains as mechanical extraction, and the review comes on top of it.", shown],
  ["S2-008", "Design Decisions", "prohibition", "must", "Messaging between ACs is not built as a thing of its own.", shown],
  ["S2-009", "No EventStore Query Needed", "algorithm", "must", "Code computes conflicts and files_modified from tool calls (the file_path of Write/Edit) held in memory in ACExecutionResult.messages.", gitDecides],
  ["S2-010", "No EventStore Query Needed", "prohibition", "must", "The review needs neither a query to the event store nor a change of its schema.", shown],
  ["S2-011", "No EventStore Query Needed", "behaviour", "must", "The events of a tool having started are emitted as before, for the TUI and for observability, but the review does not draw on them.", shown],
  ["S2-012", "Insertion Point", "algorithm", "must", "The review's place is after the results are processed and level_completed is emitted, and before the next level begins.", shown],
  ["S2-013", "Insertion Point", "algorithm", "must", "In this order: extract_level_context, detect_file_conflicts, an agent session where needed, the review attached, the next level.", shown],
  ["S2-014", "Insertion Point", "algorithm", "must", "A session is started by conflicts OR by concerns about quality.", shown],
  ["S2-015", "Insertion Point", "behaviour", "must", "LevelContext gets the CoordinatorReview attached, and with this richer context the next level starts.", shown],
  ["S2-016", "Approach A: Pragmatic", "algorithm", "must", "For each file that more than one AC wrote, _detect_file_conflicts gives back (file_path, [ac_indices]).", shown],
  ["S2-017", "Approach A: Pragmatic", "behaviour", "must", "A conflict starts a session that is told its details and ordered to review and resolve: it runs git diff, reads the files and applies fixes.", shown],
  ["S2-018", "Approach A: Pragmatic", "behaviour", "must", "No conflict, no session: it is skipped and costs zero.", shown],
  ["S2-019", "Approach A: Pragmatic", "limit", "must", "A level costs 0 sessions when it has no conflicts and 1 when it has some.", shown],
  ["S2-020", "Approach B: Full Agent", "behaviour", "must", "In always mode each level starts a session, 1 per level.", shown],
  ["S2-021", "Approach B: Full Agent", "behaviour", "must", "In always mode all results are reviewed, the quality of the implementation is checked and the integration of parallel work is verified.", shown],
  ["S2-022", "Data Model", "field", "must", "CoordinatorReview has level_number, conflicts_detected, review_summary, fixes_applied, warnings_for_next_level, duration_seconds and, optionally, session_id.", shown],
  ["S2-023", "Data Model", "field", "must", "FileConflict has file_path, ac_indices, resolved and resolution_description, which is empty by default.", shown],
  ["S2-024", "Data Model", "field", "must", "LevelContext has level_number, completed_acs (of ACContextSummary) and the optional coordinator_review, none by default.", shown],
  ["S2-025", "Data Model", "behaviour", "must", "None of these records can be changed once made (immutable).", shown],
  ["S2-026", "Data Model", "artefact", "must", "build_context_prompt writes \"## Previous Work Context\", a line for each AC with its files, and, if there was a review, \"## Coordinator Review (Level N)\" with the resolved conflicts and the warnings.", shown],
  ["S2-027", "Data Model", "behaviour", "must", "The prompt of the next level has warnings_for_next_level injected.", shown],
  ["S2-028", "New Files", "artefact", "must", "CoordinatorReview and a class LevelCoordinator live in orchestrator/coordinator.py.", folders],
  ["S2-029", "New Files", "test", "must", "The level coordinator has unit tests.", shown],
  ["S2-030", "Modified Files", "artefact", "must", "The loop over levels in the parallel executor calls the coordinator; level_context gets the new field and the injection into the prompt.", shown],
  ["S2-031", "Modified Files", "artefact", "must", "The package exports the new symbols.", shown],
  ["S2-032", "Coordinator Prompt Template", "artefact", "must", "The prompt contains a line that gives the role, the text of the level's results and the details of the conflicts.", shown],
  ["S2-033", "Coordinator Prompt Template", "artefact", "must", "The prompt sets as tasks: read the files in conflict, run git diff, resolve by Edit.", shown],
  ["S2-034", "Coordinator Prompt Template", "artefact", "must", "The prompt asks for a summary of what each AC did, of the conflicts with their resolution, and of warnings for the next level.", shown],
  ["S2-035", "Coordinator Prompt Template", "behaviour", "must", "What comes back is a review in structured form.", shown],
  ["S2-036", "Open Question", "behaviour", "must", "By default Approach A is taken.", shown],
  ["S2-037", "Open Question", "behaviour", "must", "Whoever wants Approach B opts in with the flag --coordinator-mode=always.", shown],
]);
