import { rust } from "./ecosystems/rust.js";
import { describeEcosystem } from "./matrix.js";

describeEcosystem(rust);
