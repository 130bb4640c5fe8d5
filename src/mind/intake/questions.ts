import type { ClarificationQuestion } from "../../model/request.js";
import type { IntentFinding } from "./parse-intent.js";

/** The form of a question when its answer joins the request. */
export const ANSWER_HEADINGS: Readonly<Record<ClarificationQuestion["id"], string>> = {
  object: "About",
  behaviour: "Expected",
  place: "Where",
  acceptance: "Done when",
  choice: "Chosen",
  field: "Note",
  purpose: "Purpose",
  authorisation: "Agreed",
};

/** One question for each thing a builder could not start without, in the words of the request where it has some. */
export function questionsFor({ intent, genericWords }: IntentFinding, most: number): readonly ClarificationQuestion[] {
  const generic = genericWords[0]?.norm;
  const verb = intent.action === null ? "change" : intent.action;
  const questions: ClarificationQuestion[] = [];
  if (intent.object === null)
    questions.push({
      id: "object",
      question:
        generic === undefined
          ? `What exactly should we ${verb}? Name the feature, page, command, file or component.`
          : `Which part of the ${generic} do you mean? Name the feature, page, command, file or component.`,
    });
  questions.push({
    id: "behaviour",
    question: "What should it do when the work is done, and what does it do today? One example of each is enough.",
  });
  if (intent.places.length === 0)
    questions.push({ id: "place", question: "Where is it: which repository, folder, file, address or screen?" });
  if (intent.acceptance.length === 0)
    questions.push({
      id: "acceptance",
      question: "How can we check that it is done? Give a test, a number or a result to see.",
    });
  return questions.slice(0, most);
}
