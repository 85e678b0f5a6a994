// Toasts: new notices for some seconds, errors for longer; scripts show errors only.

#include <gtest/gtest.h>

#include "app/gui/panel/panels.hpp"

namespace tri::app::gui {
namespace {

TEST(Toast, ShowsNewNoticesForAWhile) {
  SessionModel model;
  Toast toast;
  panel::renew_toast(model, toast, 0, false);
  EXPECT_EQ(toast.text, "");
  model.notices.push_back({"wrote a.csv", false, 1});
  panel::renew_toast(model, toast, 1, false);
  EXPECT_EQ(toast.text, "wrote a.csv");
  EXPECT_FALSE(toast.error);
  panel::renew_toast(model, toast, 5.5, false);
  EXPECT_EQ(toast.text, "wrote a.csv");
  panel::renew_toast(model, toast, 6.5, false);
  EXPECT_EQ(toast.text, "") << "its time is over";
  ++model.notices.back().count;
  panel::renew_toast(model, toast, 7, false);
  EXPECT_EQ(toast.text, "wrote a.csv") << "a repeated notice is shown again";
  model.notices.push_back({"cannot open b.csv", true, 1});
  panel::renew_toast(model, toast, 8, false);
  EXPECT_EQ(toast.text, "cannot open b.csv");
  EXPECT_TRUE(toast.error);
  panel::renew_toast(model, toast, 17, false);
  EXPECT_EQ(toast.text, "cannot open b.csv") << "errors stay longer";
  panel::renew_toast(model, toast, 18.5, false);
  EXPECT_EQ(toast.text, "");
}

TEST(Toast, ScriptsShowErrorsOnly) {
  SessionModel model;
  Toast toast;
  model.notices.push_back({"wrote a.csv", false, 1});
  panel::renew_toast(model, toast, 1, true);
  EXPECT_EQ(toast.text, "");
  model.notices.push_back({"cannot open b.csv", true, 1});
  panel::renew_toast(model, toast, 2, true);
  EXPECT_EQ(toast.text, "cannot open b.csv");
}

}  // namespace
}  // namespace tri::app::gui
