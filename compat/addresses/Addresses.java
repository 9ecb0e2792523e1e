import jakarta.validation.Validation;
import jakarta.validation.Validator;
import jakarta.validation.constraints.Email;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.commons.validator.routines.EmailValidator;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;

/** Prints which addresses validators of Java accept: one JSON object by name of the validator, then by address. */
public final class Addresses {
  /** Form of a sign-up. */
  public static final class SignUp {
    @Email private final String email;

    SignUp(String email) {
      this.email = email;
    }
  }

  public static void main(String[] addresses) {
    Validator hibernate =
        Validation.byDefaultProvider()
            .configure()
            .messageInterpolator(new ParameterMessageInterpolator())
            .buildValidatorFactory()
            .getValidator();
    Map<String, Predicate<String>> validators = new LinkedHashMap<>();
    validators.put("Apache commons-validator", EmailValidator.getInstance()::isValid);
    validators.put("Hibernate Validator @Email", one -> hibernate.validate(new SignUp(one)).isEmpty());
    System.out.println(
        validators.entrySet().stream()
            .map(one -> quoted(one.getKey()) + ":" + results(one.getValue(), addresses))
            .collect(Collectors.joining(",", "{", "}")));
  }

  private static String results(Predicate<String> accepts, String[] addresses) {
    return Arrays.stream(addresses)
        .map(one -> quoted(one) + ":" + accepts.test(one))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }
}
